# Puts a folder into the user's PATH, or takes it out, and leaves every other entry as it is written.
param([string]$Add, [string]$Remove)

$ErrorActionPreference = "Stop"
$key = [Microsoft.Win32.Registry]::CurrentUser.OpenSubKey("Environment", $true)
# As it stands there: with its variables, which reading it otherwise would put values for.
$written = [string]$key.GetValue("Path", "", "DoNotExpandEnvironmentNames")
$folder = if ($Add) { $Add } else { $Remove }
$others = @($written -split ";" | Where-Object { $_ -and $_.TrimEnd("\") -ne $folder.TrimEnd("\") })
$new = if ($Add) { (@($others) + $folder) -join ";" } else { $others -join ";" }
if ($new -ne $written) {
    $key.SetValue("Path", $new, "ExpandString")
    # Tells programs that run already, as SetEnvironmentVariable does for a variable that is there.
    [Environment]::SetEnvironmentVariable("STUDIO_PATH_CHANGED", $null, "User")
}
$key.Close()
