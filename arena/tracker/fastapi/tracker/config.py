"""Settings: environment variables override the file."""

import os
import secrets

from pydantic_settings import BaseSettings, SettingsConfigDict, TomlConfigSettingsSource


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="TRACKER_",
        extra="ignore",
        toml_file=os.environ.get("TRACKER_CONFIG", "tracker.toml"),
    )

    database: str = "tracker.db"
    uploads: str = "uploads"
    webhook: str | None = None
    origins: list[str] = []
    secret: str = secrets.token_hex(32)
    logins_per_minute: int = 10

    @classmethod
    def settings_customise_sources(cls, settings_cls, init_settings, env_settings, **_):
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


settings = Settings()
