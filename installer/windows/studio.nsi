; The installer for Windows: for one user, without an administrator, and it removes nothing that is the user's.
;
;   makensis -DVERSION=0.1.0 -DNUMBERS=0.1.0.0 -DPAYLOAD=folder -DICON=file.ico -DLICENCE=LICENSE \
;            -DPATH_SCRIPT=path.ps1 -DOUTPUT=setup.exe studio.nsi
;
; setup.exe /S [/D=C:\folder] installs without a word; ends with 5 while the program runs.
; Uninstall.exe /S takes it away again.

Unicode true
ManifestDPIAware true
ManifestLongPathAware true
RequestExecutionLevel user
SetCompressor /SOLID lzma
SetDateSave off

!include MUI2.nsh
!include LogicLib.nsh
!include FileFunc.nsh

!define NAME "Exacta Studio"
!define ID "org.exacta.Studio"
!define TYPE "${ID}.Patch"
!define WINDOW "Exacta Studio.exe"
!define COMMAND "studio.exe"
!define CLASSES "Software\Classes"
!define INSTALLED "Software\Microsoft\Windows\CurrentVersion\Uninstall\${ID}"
!define STARTED_BY_NAME "Software\Microsoft\Windows\CurrentVersion\App Paths\${COMMAND}"
!define RUNS 5

Name "${NAME}"
OutFile "${OUTPUT}"
BrandingText "${NAME} ${VERSION}"
InstallDir "$LOCALAPPDATA\Programs\${NAME}"
InstallDirRegKey HKCU "${INSTALLED}" "InstallLocation"

VIProductVersion "${NUMBERS}"
VIAddVersionKey "ProductName" "${NAME}"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "FileDescription" "${NAME} installer"
VIAddVersionKey "LegalCopyright" "MIT licence; Qt under LGPL-3"

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!insertmacro MUI_PAGE_LICENSE "${LICENCE}"
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

; Windows lets nobody write to a program that runs: nothing was changed by then.
!macro RefuseWhileItRuns FILE
  ${If} ${FileExists} "$INSTDIR\${FILE}"
    ClearErrors
    FileOpen $0 "$INSTDIR\${FILE}" a
    ${If} ${Errors}
      MessageBox MB_OK|MB_ICONEXCLAMATION "${NAME} is running. Close it, then start this again." /SD IDOK
      SetErrorLevel ${RUNS}
      Quit
    ${EndIf}
    FileClose $0
  ${EndIf}
!macroend

; What the program is made of, by name: the folder may be one that holds other things, too.
!macro RemoveProgram
  RMDir /r "$INSTDIR\_internal"
  Delete "$INSTDIR\${WINDOW}"
  Delete "$INSTDIR\${COMMAND}"
!macroend

Section "${NAME}" SecProgram
  SectionIn RO
  !insertmacro RefuseWhileItRuns "${WINDOW}"
  !insertmacro RefuseWhileItRuns "${COMMAND}"
  ; An older version's files must not stay beside those of this one.
  !insertmacro RemoveProgram
  SetOutPath "$INSTDIR"
  File /r "${PAYLOAD}/*"
  File "/oname=path.ps1" "${PATH_SCRIPT}"
  WriteUninstaller "$INSTDIR\Uninstall.exe"

  SetOutPath "$INSTDIR"
  CreateShortcut "$SMPROGRAMS\${NAME}.lnk" "$INSTDIR\${WINDOW}"

  ; Offered under Open with; whoever opens patches until now goes on doing so.
  WriteRegStr HKCU "${CLASSES}\${TYPE}" "" "Patch"
  WriteRegStr HKCU "${CLASSES}\${TYPE}" "AppUserModelID" "${ID}"
  WriteRegStr HKCU "${CLASSES}\${TYPE}\DefaultIcon" "" "$INSTDIR\${WINDOW},0"
  WriteRegStr HKCU "${CLASSES}\${TYPE}\shell\open\command" "" '"$INSTDIR\${WINDOW}" "%1"'
  WriteRegStr HKCU "${CLASSES}\.diff\OpenWithProgids" "${TYPE}" ""
  WriteRegStr HKCU "${CLASSES}\.patch\OpenWithProgids" "${TYPE}" ""
  WriteRegStr HKCU "${CLASSES}\AppUserModelId\${ID}" "DisplayName" "${NAME}"
  WriteRegStr HKCU "${STARTED_BY_NAME}" "" "$INSTDIR\${COMMAND}"

  WriteRegStr HKCU "${INSTALLED}" "DisplayName" "${NAME}"
  WriteRegStr HKCU "${INSTALLED}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${INSTALLED}" "DisplayIcon" "$INSTDIR\${WINDOW},0"
  WriteRegStr HKCU "${INSTALLED}" "Publisher" "${NAME}"
  WriteRegStr HKCU "${INSTALLED}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${INSTALLED}" "UninstallString" '"$INSTDIR\Uninstall.exe"'
  WriteRegStr HKCU "${INSTALLED}" "QuietUninstallString" '"$INSTDIR\Uninstall.exe" /S'
  WriteRegDWORD HKCU "${INSTALLED}" "NoModify" 1
  WriteRegDWORD HKCU "${INSTALLED}" "NoRepair" 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  WriteRegDWORD HKCU "${INSTALLED}" "EstimatedSize" $0
  ${RefreshShellIcons}
SectionEnd

Section /o "Command line: studio in PATH" SecPath
  ; Not by this language: its longest text is shorter than many a PATH, which it would cut off.
  nsExec::Exec 'powershell -NoProfile -NonInteractive -ExecutionPolicy Bypass -File "$INSTDIR\path.ps1" -Add "$INSTDIR"'
  Pop $0
SectionEnd

!insertmacro MUI_FUNCTION_DESCRIPTION_BEGIN
  !insertmacro MUI_DESCRIPTION_TEXT ${SecProgram} "The program and an entry in the Start menu."
  !insertmacro MUI_DESCRIPTION_TEXT ${SecPath} "Lets a terminal find the command studio."
!insertmacro MUI_FUNCTION_DESCRIPTION_END

Section "Uninstall"
  !insertmacro RefuseWhileItRuns "${WINDOW}"
  !insertmacro RefuseWhileItRuns "${COMMAND}"
  nsExec::Exec 'powershell -NoProfile -NonInteractive -ExecutionPolicy Bypass -File "$INSTDIR\path.ps1" -Remove "$INSTDIR"'
  Pop $0
  !insertmacro RemoveProgram
  Delete "$INSTDIR\path.ps1"
  Delete "$INSTDIR\Uninstall.exe"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\${NAME}.lnk"
  ; Plans, history and settings stay where they are: they are the user's.
  DeleteRegValue HKCU "${CLASSES}\.diff\OpenWithProgids" "${TYPE}"
  DeleteRegValue HKCU "${CLASSES}\.patch\OpenWithProgids" "${TYPE}"
  DeleteRegKey HKCU "${CLASSES}\${TYPE}"
  DeleteRegKey HKCU "${CLASSES}\AppUserModelId\${ID}"
  DeleteRegKey HKCU "${STARTED_BY_NAME}"
  DeleteRegKey HKCU "${INSTALLED}"
  ${RefreshShellIcons}
SectionEnd
