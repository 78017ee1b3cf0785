#!/usr/bin/env bash
# Installs the Debian packages that are missing: `site` (the site and its stimuli) or `tests` (also a browser).
# As root it installs them; otherwise it prints the one line to type and stops.
set -euo pipefail

needed=()
have_library() { ldconfig -p 2>/dev/null | grep -q "$1" || /sbin/ldconfig -p 2>/dev/null | grep -q "$1"; }
python3 -c "import ensurepip, venv" 2>/dev/null || needed+=(python3-venv)
have_library libOSMesa.so || needed+=(libosmesa6)
have_library libEGL.so.1 || needed+=(libegl1)
have_library libGL.so.1 || needed+=(libgl1)
have_library libfontconfig.so.1 || needed+=(libfontconfig1)
have_library libcairo.so.2 || needed+=(libcairo2)
[ -n "$(find /usr/share/fonts -name 'DejaVuSans*.ttf' -print -quit 2>/dev/null)" ] || needed+=(fonts-dejavu-core)
if [ "${1:-site}" = tests ]; then
  [ -x /usr/bin/chromium ] || needed+=(chromium)
  command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] || needed+=(nginx-light)
  command -v redis-server >/dev/null || needed+=(redis-server)
  command -v openssl >/dev/null || needed+=(openssl)
fi
# Where they are there, tables are set by LaTeX and read back, studies are walked in Firefox, which plays H.264 by the system's
# libavcodec, and Chromium's shell, which has no window, takes half the time of Chromium; else those tests say so and are
# skipped, or take Chromium.
wanted=()
if [ "${1:-site}" = tests ] && [ "$(id -u)" -eq 0 ]; then
  command -v pdflatex >/dev/null || wanted+=(texlive-latex-recommended)
  command -v pdftotext >/dev/null || wanted+=(poppler-utils)
  command -v chromium-headless-shell >/dev/null || wanted+=(chromium-headless-shell)
  command -v firefox-esr >/dev/null || command -v firefox >/dev/null || wanted+=(firefox-esr)
  have_library libavcodec.so || wanted+=(libavcodec-extra) # of each release the version that its Firefox loads
fi
[ $((${#needed[@]} + ${#wanted[@]})) -eq 0 ] && exit 0

if [ "$(id -u)" -eq 0 ]; then
  echo "Installing Debian packages: ${needed[*]} ${wanted[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  [ ${#needed[@]} -eq 0 ] || apt-get install -y -qq --no-install-recommends "${needed[@]}" >/dev/null
  for package in "${wanted[@]}"; do
    apt-get install -y -qq --no-install-recommends "$package" >/dev/null || echo "no $package here"
  done
else
  echo "Some Debian packages are missing. Type this, then try again:" >&2
  echo "  sudo apt-get install -y ${needed[*]}" >&2
  exit 1
fi
