# Logs, metrics, traces, and the dashboard.
eider_wing(ops DEPENDS web)
eider_component(core FOLDERS telemetry
                HEADERS telemetry)
eider_component(otlp FOLDERS telemetry/otlp
                HEADERS otlp
                BASES client)
eider_component(dashboard FOLDERS dashboard
                HEADERS dashboard)
