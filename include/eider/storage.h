// File storage in a local directory or in S3, with signed URLs and resumable uploads.
// Component: storage. Guide: docs/guides/data/file-storage.md.
#pragma once

#include "eider/web/storage/resumable_uploads.h"
#include "eider/web/storage/serve_storage.h"
#include "eider/web/storage/storage.h"
#include "eider/web/storage/storage_key.h"
