# The HTTP client, WebSocket clients, and what generated clients use.
eider_wing(client DEPENDS io)
eider_component(client FOLDERS . generated ws
                HEADERS api_client client
                BASES net http2 compress
                MODULES "psl libpsl>=0.21"
                TARGETS PkgConfig::psl
                DEBIAN libpsl-dev)
