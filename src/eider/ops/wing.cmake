# Logs, metrics, traces, and the dashboard.
eider_wing(ops DEPENDS web)
eider_component(core FOLDERS telemetry)
eider_component(otlp FOLDERS telemetry/otlp
                BASES client)
eider_component(dashboard FOLDERS dashboard)
eider_public(dashboard/dashboard telemetry/log telemetry/metrics telemetry/otlp/otlp telemetry/traces)
