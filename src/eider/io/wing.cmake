# Event loops, streams, tasks, TLS, names and connections to other machines.
eider_wing(io DEPENDS protocols)
eider_component(core FOLDERS runtime ws
                HEADERS runtime)
eider_component(tls FOLDERS tls
                PACKAGES "OpenSSL 3.0"
                TARGETS OpenSSL::SSL
                DEBIAN libssl-dev)
eider_component(net FOLDERS net
                HEADERS net
                BASES tls
                MODULES "cares libcares>=1.18"
                TARGETS PkgConfig::cares
                DEBIAN libc-ares-dev)
