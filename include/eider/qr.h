// QR codes as SVG.
// Component: qr. Guide: docs/guides/pages/qr-codes.md.
#pragma once

#include "eider/web/qr/qr.h"
