#!/usr/bin/env python3
"""Becomes nginx, configured for one measurement: run.py FOLDER PORT THREADS.

The served files are in FOLDER, which files.py makes first. Environment variables add more: the
directory of /files/ in FILES_DIR, the parent of /static/ in PROFILES_DIR; HTTP/2 instead of
HTTP/1.1 on PORT with HTTP2=1, because this version cannot do both there; TLS on TLS_PORT with
TLS_CERT and TLS_KEY; another limit in CONNECTIONS; a proxy from /proxy/ to UPSTREAM, with TUNNEL=1
also for WebSockets.
"""

import os
import pwd
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
# pylint: disable=wrong-import-position
from becoming import become, filled, in_memory

PROGRAMS = ("/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx")
# The session cache and its timeout are those of the documentation, "Configuring HTTPS servers".
SEALED = """listen {port} ssl http2 reuseport backlog=4096;
        ssl_certificate {cert};
        ssl_certificate_key {key};
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_session_cache shared:SSL:10m;
        ssl_session_timeout 10m;"""

# Keeps connections to upstreams as the documentation of the upstream module does.
UPSTREAM = """upstream behind {{
        server {place};
        keepalive 64;
    }}"""
PROXIED = """location /proxy/ {
            proxy_pass http://behind/;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
        }"""
# Forwards an upgrade as in the documentation, "WebSocket proxying".
UPGRADES = """map $http_upgrade $connection_upgrade {
        default upgrade;
        '' '';
    }
    """
TUNNELLED = PROXIED.replace('proxy_set_header Connection "";',
                            """proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $connection_upgrade;""")
# As in the documentation of both modules, for precompressed files: .br before .gz.
BROTLI = "load_module /usr/lib/nginx/modules/ngx_http_brotli_static_module.so;"
STATICS = """location /static/ {{
            root {folder};
            include /etc/nginx/mime.types;
            gzip_static on;
            brotli_static on;
        }}"""


def user_line():
    """Workers of a master that runs as root would be another user, who has no access to FOLDER."""
    return f"user {pwd.getpwuid(0).pw_name};" if os.geteuid() == 0 else ""


def arguments(folder, path):
    """Returns the program's arguments."""
    return ["-p", f"{folder}/", "-e", "stderr", "-c", path]


def lead_to_files():
    """FOLDER/files is a link to the directory of /files/."""
    directory = os.environ.get("FILES_DIR")
    if directory and len(sys.argv) > 1:
        link = Path(sys.argv[1]) / "files"
        link.unlink(missing_ok=True)
        link.symlink_to(directory)


def template():
    """Returns the configuration: the template, filled as the environment variables require."""
    sealed = ""
    if "TLS_PORT" in os.environ:
        sealed = SEALED.format(port=os.environ["TLS_PORT"], cert=os.environ["TLS_CERT"],
                               key=os.environ["TLS_KEY"])
    place, is_tunnel = os.environ.get("UPSTREAM"), bool(os.environ.get("TUNNEL"))
    profiles = os.environ.get("PROFILES_DIR")
    behind = (UPGRADES if is_tunnel else "") + UPSTREAM.format(place=place)
    return Path(in_memory("nginx", filled(HERE / "nginx.conf.template", {
        "protocol": "http2" if os.environ.get("HTTP2") else "", "sealed": sealed,
        "connections": os.environ.get("CONNECTIONS", "16384"),
        "modules": BROTLI if profiles else "",
        "statics": STATICS.format(folder=profiles) if profiles else "",
        "upstream": behind if place else "",
        "proxied": (TUNNELLED if is_tunnel else PROXIED) if place else ""})))


if __name__ == "__main__":
    lead_to_files()
    sys.exit(become(template(), PROGRAMS, "nginx-light", user_line(), arguments))
