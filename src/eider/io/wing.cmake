# Event loops, streams, tasks, TLS, names and connections to other machines.
eider_wing(io DEPENDS protocols)
eider_component(core FOLDERS runtime ws)
eider_component(tls FOLDERS tls
                PACKAGES "OpenSSL 3.0"
                TARGETS OpenSSL::SSL)
eider_component(net FOLDERS net
                BASES tls
                MODULES "cares libcares>=1.18"
                TARGETS PkgConfig::cares)
eider_public(net/net runtime/blocking runtime/channel runtime/deadline runtime/loop runtime/loop_local
             runtime/scope runtime/sleep runtime/sync runtime/task runtime/time runtime/token_bucket tls/tls)
