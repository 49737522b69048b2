// Background jobs and schedules, stored in the database of the application.
// Component: jobs. Guide: docs/guides/data/jobs.md.
#pragma once

#include "eider/web/jobs/job_page.h"
#include "eider/web/jobs/job_progress.h"
#include "eider/web/jobs/jobs.h"
