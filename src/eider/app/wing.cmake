# Handlers, settings, and the life of an application.
eider_wing(app DEPENDS server)
eider_component(core FOLDERS . handlers life settings
                SMALL life settings app.cc route_list.cc route_table.cc routes.cc service_resolve.cc
                HEADERS eider)
eider_component(tls FOLDERS tls
                HEADERS tls)
eider_component(http2 FOLDERS http2
                HEADERS http2)
