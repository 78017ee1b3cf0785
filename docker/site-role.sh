#!/bin/bash
# Makes the site's own role, which owns one database and nothing else of the server, when PostgreSQL's volume is made.
set -euo pipefail
psql --quiet --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname "${POSTGRES_DB:-postgres}" \
    --set role="${SITE_ROLE:-benchsite}" --set password="$DATABASE_PASSWORD" <<'SQL'
CREATE ROLE :"role" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'password';
CREATE DATABASE :"role" OWNER :"role";
REVOKE ALL ON DATABASE :"role" FROM PUBLIC;
SQL
