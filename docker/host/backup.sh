#!/usr/bin/env bash
# A dated backup, checked, copied off this machine, and the oldest ones deleted. In the environment:
#   BACKUPS       the folder
#   BACKUP_COPY   a command that takes the file and its sum as arguments and copies them elsewhere, for example
#                 a script with `rsync -a "$@" backup@other.example:benchsite/`; without one nothing leaves this machine
#   BACKUP_DAYS   how long files stay here (14 days); keep them no longer than you promised people who withdraw
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${BACKUPS:?}
mkdir -p "$folder"
file="$folder/$(date -u +%Y-%m-%dT%H%M%S).tar"
.venv/bin/python manage.py backup "$file"
(cd "$folder" && sha256sum --check --quiet "$(basename "$file").sha256")
if [ -n "${BACKUP_COPY:-}" ]; then
  $BACKUP_COPY "$file" "$file.sha256"
else
  echo "BACKUP_COPY is not set: this backup is on the machine that it is a backup of" >&2
fi
# Only after a new one was made and copied: a failing backup never empties the folder.
find "$folder" -name '*.tar*' -mtime "+${BACKUP_DAYS:-14}" -delete
