#!/bin/bash
# Signs the bundle, puts it into a disk image, and has that notarised.
#
#   dmg.sh "Exacta Studio.app" exacta-studio.dmg
#
# STUDIO_SIGNED_BY           a "Developer ID Application" identity of the key chain; without one it is signed
#                            for this machine alone
# STUDIO_NOTARISED_BY        a profile that `xcrun notarytool store-credentials` has kept; without one it is not
#                            notarised, and another machine refuses it
set -euo pipefail

bundle=$1
image=$2
here=$(cd "$(dirname "$0")" && pwd)
identity=${STUDIO_SIGNED_BY:--}
profile=${STUDIO_NOTARISED_BY:-}

staged=$(mktemp -d)
trap 'rm -rf "$staged"' EXIT

sign() {
    if [ "$identity" = "-" ]; then
        codesign --force --sign - --options runtime --entitlements "$here/entitlements.plist" "$1"
    else
        codesign --force --sign "$identity" --timestamp --options runtime \
            --entitlements "$here/entitlements.plist" "$1"
    fi
}

# From the inside out: a signature covers what lies within it.
find "$bundle/Contents" -type f \( -name '*.dylib' -o -name '*.so' \) -print0 |
    while IFS= read -r -d '' library; do sign "$library"; done
for program in "$bundle/Contents/MacOS/"*; do
    if [ -f "$program" ]; then sign "$program"; fi
done
sign "$bundle"
codesign --verify --deep --strict "$bundle"

cp -R "$bundle" "$staged/"
ln -s /Applications "$staged/Applications"
hdiutil create -volname "Exacta Studio" -srcfolder "$staged" -format UDZO -ov "$image"

if [ "$identity" != "-" ]; then
    codesign --sign "$identity" --timestamp "$image"
fi
if [ -n "$profile" ]; then
    xcrun notarytool submit "$image" --keychain-profile "$profile" --wait
    xcrun stapler staple "$image"
fi
