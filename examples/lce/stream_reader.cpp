#include "stream_reader.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "gpuimg/codec/lce/segment.hpp"
#include "gpuimg/core/error.hpp"

namespace gpuimg::examples {
namespace {

constexpr std::uint64_t chunk = 4 << 20;
constexpr std::uint64_t longest_segment = 64 << 20;

}  // namespace

stream_reader::stream_reader(const std::string& path) : file_(path) {
  std::array<std::byte, lce::header_bytes> bytes;
  const std::size_t size = file_.read(bytes);
  header_ = lce::read_header(std::span(bytes).first(size));
}

void stream_reader::append(std::uint64_t bytes) {
  // In pieces: a length that lies ends with the file before it costs memory.
  while (bytes != 0) {
    const std::uint64_t piece = std::min(bytes, chunk);
    const std::size_t start = slab_.size();
    slab_.resize(start + piece);
    file_.read_exactly(std::span(slab_).subspan(start));
    bytes -= piece;
  }
}

std::uint64_t stream_reader::read_slab_start(std::int64_t slab) {
  const std::uint64_t offset = file_.position();
  slab_.resize(lce::slab_header_bytes);
  file_.read_exactly(slab_);
  const auto payload = lce::read_slab_header(header_, slab, slab_, offset);
  return static_cast<std::uint64_t>(lce::slab_layout(header_, slab).payload + payload) - lce::slab_header_bytes;
}

const std::vector<std::byte>& stream_reader::read_slab(std::int64_t slab, std::uint64_t& offset) {
  offset = file_.position();
  append(read_slab_start(slab));
  return slab_;
}

void stream_reader::skip_slab(std::int64_t slab) {
  std::uint64_t bytes = read_slab_start(slab);
  if (file_.seekable()) { return file_.seek(file_.position() + bytes); }
  slab_.resize(chunk);
  while (bytes != 0) {
    const std::uint64_t piece = std::min(bytes, chunk);
    file_.read_exactly(std::span(slab_).first(piece));
    bytes -= piece;
  }
}

std::optional<envi_header> stream_reader::read_segments() {
  std::optional<envi_header> found;
  std::array<std::byte, lce::segment_header_bytes> start;
  while (!file_.peek(1).empty()) {
    const std::uint64_t offset = file_.position();
    file_.read_exactly(start);
    const auto segment = lce::read_segment_header(start);
    if (segment.bytes > longest_segment) {
      throw error(errc::out_of_memory,
                  "segment " + std::string(segment.name()) + " has " + std::to_string(segment.bytes) +
                      " bytes; the limit is " + std::to_string(longest_segment),
                  offset);
    }
    slab_.clear();
    append(segment.bytes + segment.padding());
    if (segment.name() != "ENVI") { continue; }
    const auto contents = std::span(slab_).first(segment.bytes);
    segment.check(contents, offset);
    found.emplace(std::string_view(reinterpret_cast<const char*>(contents.data()), contents.size()));
  }
  return found;
}

}  // namespace gpuimg::examples
