// Any bytes as a PaCo stream. Pictures are small and memory is limited, as a program would limit both by what it can
// hold. What decodes must not depend on what was in the picture's memory before.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "tests/codec/paco_any.hpp"

namespace paco = gpuimg::paco;

namespace {

/// Makes the identity of the tables right, which a fuzzer does not find.
std::vector<std::byte> with_table_identity(std::span<const std::byte> bytes) {
  std::vector<std::byte> stream(bytes.begin(), bytes.end());
  if (stream.size() >= paco::head_offset + paco::head_bytes) {
    const auto& tables = paco::default_tables();
    gpuimg::store_little(stream.data() + paco::head_offset + 36, tables.id);
    gpuimg::store_little(stream.data() + paco::head_offset + 40, tables.checksum);
  }
  return stream;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t most_samples = 1 << 16;
  const auto stream = with_table_identity(std::as_bytes(std::span(data, size)));
  try {
    const auto picture = paco_tests::decode_any(stream, most_samples);
    if (picture.samples != paco_tests::decode_any(stream, most_samples, 0x2A).samples) { std::abort(); }
  } catch (const gpuimg::error& e) {
    // What a damaged stream is expected to give.
    if (e.code() == gpuimg::errc::invalid_argument) { std::abort(); }
  }
  return 0;
}
