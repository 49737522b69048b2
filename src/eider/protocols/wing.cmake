# HTTP, WebSocket and routing as bytes: no socket, no clock.
eider_wing(protocols DEPENDS core)
eider_component(core FOLDERS http http/h1 http/ws route)
eider_component(compress FOLDERS http/ws/deflate)
eider_component(http2 FOLDERS http/h2
                HOT)
