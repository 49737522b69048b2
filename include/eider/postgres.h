// The driver for PostgreSQL: COPY, notifications, topics shared between machines.
// Component: postgres. Guide: docs/guides/data/postgresql.md.
#pragma once

#include "eider/data/db/postgres/copy.h"
#include "eider/data/db/postgres/postgres.h"
#include "eider/data/db/postgres/postgres_subscriber.h"
#include "eider/web/backplane/postgres/postgres_topics.h"
