# What an application adds around its handlers: middleware, files, templates, forms, documents.
eider_wing(web DEPENDS app client data)
eider_component(core FOLDERS middleware languages paging relay rooms files assets openapi crud)
eider_component(views FOLDERS views views/app forms
                HOT)
eider_component(compress FOLDERS coding
                PACKAGES "ZLIB 1.2.13"
                MODULES "brotli libbrotlienc>=1.0.9 libbrotlidec>=1.0.9" "zstd libzstd>=1.5.4"
                TARGETS ZLIB::ZLIB PkgConfig::brotli PkgConfig::zstd)
eider_component(postgres FOLDERS relay/postgres)
eider_component(redis FOLDERS relay/redis middleware/redis)
eider_component(proxy FOLDERS proxy
                BASES client)
eider_component(locale FOLDERS locale
                MODULES "icu icu-uc>=72 icu-i18n>=72"
                TARGETS PkgConfig::icu)
eider_component(journal FOLDERS journal
                BASES client)
eider_component(swagger FOLDERS swagger)
eider_public(assets/assets assets/embedded coding/compressed_response coding/decoded_body coding/decoded_request
             crud/crud_routes crud/repeated_statements files/files files/kept_files forms/form_field forms/forms
             journal/journal languages/languages locale/locale middleware/access_log middleware/address_list
             middleware/allow_hosts middleware/auth middleware/caching middleware/cors middleware/cross_origin
             middleware/csrf middleware/development_page middleware/error_pages middleware/field_selection
             middleware/health middleware/https middleware/idempotency middleware/identity middleware/limits
             middleware/login_throttle middleware/maintenance middleware/middleware middleware/negotiation
             middleware/rate_limit middleware/rate_store middleware/redis/redis_rates middleware/request_id
             middleware/response_cache middleware/routing middleware/security_headers openapi/openapi
             paging/paging proxy/proxy relay/postgres/postgres_topics relay/redis/redis_topics relay/topic_relay
             rooms/attendance rooms/history swagger/swagger views/app/framed_views views/app/views
             views/form_view views/markup views/page_nav views/rendering)
