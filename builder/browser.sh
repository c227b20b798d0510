#!/bin/sh
# Installs Debian's Chromium for the tests of pages, where that is allowed; says what it does.
for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null && exit 0
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing Chromium for the tests of pages: apt-get install chromium"
    if apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; then
        exit 0
    fi
    echo "Chromium could not be installed"
fi
echo "no Chromium: the tests of pages in a browser are left out (apt install chromium)"
