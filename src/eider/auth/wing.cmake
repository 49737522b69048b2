# Sessions, logins, accounts, tokens, mail.
eider_wing(auth DEPENDS web)
eider_component(core FOLDERS session apikeys
                HEADERS apikeys sessions)
eider_component(redis FOLDERS session/redis)
eider_component(passwords FOLDERS passwords
                HEADERS passwords
                MODULES "argon2 libargon2>=20171227"
                TARGETS PkgConfig::argon2
                DEBIAN libargon2-dev)
eider_component(jwt FOLDERS jwt
                HEADERS jwt
                BASES client)
eider_component(passkeys FOLDERS passkeys
                HEADERS passkeys
                BASES tls)
eider_component(oauth FOLDERS oauth
                HEADERS oauth
                BASES jwt)
eider_component(mail FOLDERS mail
                HEADERS mail
                BASES jobs
                PACKAGES "CURL 7.88"
                TARGETS CURL::libcurl
                DEBIAN libcurl4-openssl-dev)
eider_component(accounts FOLDERS accounts
                HEADERS accounts
                BASES mail passwords tls)
