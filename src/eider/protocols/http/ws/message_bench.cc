#include <benchmark/benchmark.h>

#include <string>

#include "eider/protocols/http/ws/message_reader.h"
#include "eider/protocols/http/ws/message_writer.h"

namespace eider::ws {
namespace {

class OneKey final : public MaskSource {
 public:
  [[nodiscard]] MaskKey next() override { return {0x37, 0xFA, 0x21, 0x3D}; }
};

/// As many messages as fit into one read of a socket, but at least one.
Buffer input_of(Side reader, MessageType type, std::size_t message_bytes) {
  OneKey keys;
  const MessageWriter writer = reader == Side::server ? MessageWriter(keys) : MessageWriter();
  Buffer in;
  do {
    writer.message(in, {.type = type}, std::string(message_bytes, 'x'));
  } while (in.size() + message_bytes + kHeaderBytesMax <= 65536);
  return in;
}

/// A server that sends back everything that it receives. One item is one message.
void echo(benchmark::State& state, MessageType type) {
  const Buffer input = input_of(Side::server, type, static_cast<std::size_t>(state.range(0)));
  const MessageLimits limits;
  MessageReader reader(Side::server, limits);
  const MessageWriter writer;
  Buffer scratch;
  Buffer out;
  std::int64_t messages = 0;
  for (auto _ : state) {
    out.clear();
    std::string_view in = input.view();
    while (!in.empty()) {
      const Event event = reader.read(in, scratch);
      in.remove_prefix(event.consumed);
      writer.message(out, {.type = event.type}, event.data);
      ++messages;
    }
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(messages);
  state.SetBytesProcessed(messages * state.range(0));
}

void echo_text(benchmark::State& state) {
  echo(state, MessageType::text);
}
void echo_binary(benchmark::State& state) {
  echo(state, MessageType::binary);
}

/// Messages that are larger than one input: each is collected from reads of 16 KiB.
void read_cut(benchmark::State& state) {
  const Buffer input =
      input_of(Side::server, MessageType::binary, static_cast<std::size_t>(state.range(0)));
  const MessageLimits limits;
  Buffer scratch;
  for (auto _ : state) {
    MessageReader reader(Side::server, limits);
    for (std::string_view in = input.view(); !in.empty();) {
      const Event event = reader.read(in.substr(0, 16384), scratch);
      in.remove_prefix(event.consumed);
      benchmark::DoNotOptimize(event.data.data());
    }
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(input.size()));
}

BENCHMARK(echo_text)->Arg(16)->Arg(125)->Arg(1024)->Arg(16384);
BENCHMARK(echo_binary)->Arg(16)->Arg(125)->Arg(1024)->Arg(16384);
BENCHMARK(read_cut)->Arg(65536)->Arg(1 << 19);

}  // namespace
}  // namespace eider::ws
