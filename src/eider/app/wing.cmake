# Handlers, settings, and the life of an application.
eider_wing(app DEPENDS server)
eider_component(core FOLDERS .)
eider_component(tls FOLDERS tls)
eider_component(http2 FOLDERS http2)
eider_public(after_answer app byte_size client conditions draft event_stream extract http2/http2 live merge_patch
             multipart operation options producing run_app secret secret_query spool streamed_rows urls websocket)
