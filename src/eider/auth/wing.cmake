# Sessions, logins, accounts, tokens, mail.
eider_wing(auth DEPENDS web)
eider_component(core FOLDERS session)
eider_component(redis FOLDERS session/redis)
eider_component(passwords FOLDERS passwords
                MODULES "argon2 libargon2>=20171227"
                TARGETS PkgConfig::argon2)
eider_component(jwt FOLDERS jwt
                BASES client)
eider_component(passkeys FOLDERS passkeys
                BASES tls)
eider_component(oauth FOLDERS oauth
                BASES jwt)
eider_component(mail FOLDERS mail
                PACKAGES "CURL 7.88"
                TARGETS CURL::libcurl)
eider_component(accounts FOLDERS accounts
                BASES mail passwords)
eider_public(accounts/account_letter accounts/accounts jwt/jwks jwt/jwt jwt/jwt_auth jwt/jwt_key mail/mail
             mail/mail_transport mail/outbox mail/smtp oauth/oauth passkeys/passkey passkeys/passkey_routes
             passkeys/passkey_store passkeys/passkeys passwords/passwords session/redis/redis_sessions
             session/session session/session_store session/users)
