// The headers of libraries outside of Eider that snippets use.
// Layering: must not be included by programs.
#pragma once

#include <librdkafka/rdkafka.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <boost/asio.hpp>
