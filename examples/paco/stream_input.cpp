#include "stream_input.hpp"

#include <algorithm>
#include <array>

#include "gpuimg/core/byte_order.hpp"
#include "gpuimg/core/crc32.hpp"
#include "gpuimg/core/error.hpp"

namespace gpuimg::examples {

void require_memory(std::uint64_t bytes, std::uint64_t limit, const std::string& what) {
  if (bytes <= limit) return;
  throw error(errc::out_of_memory, what + " asks for " +
                                       (bytes == UINT64_MAX ? "2^64 or more" : std::to_string(bytes)) +
                                       " bytes of memory, --memory-limit is " + std::to_string(limit));
}

stream_input::stream_input(const std::string& path) : file_(path) {
  std::array<std::byte, paco::stream_start_bytes> start{};
  const std::size_t got = file_.read(start);
  paco::read_stream_start(std::span(start).first(got));
  segment_ = read_header();
  if (segment_.type != paco::head_type) {
    throw error(errc::corrupt, "PaCo stream: segment " + paco::letters_of(segment_.type) + " where HEAD should be",
                payload_offset_ - paco::segment_header_bytes);
  }
  // Its length is checked before the payload is read: it may be anything.
  std::vector<std::byte> payload;
  read_front(payload, std::min<std::uint64_t>(segment_.length, paco::head_bytes + 1));
  header_ = paco::read_head(payload, payload_offset_);
}

void stream_input::read(std::span<std::byte> bytes) {
  const std::uint64_t offset = file_.position();
  const std::size_t got = file_.read(bytes);
  if (got < bytes.size()) {
    throw error(errc::truncated,
                "PaCo stream: segment " + paco::letters_of(segment_.type) + " is cut, " + std::to_string(left_ - got) +
                    " bytes are missing",
                offset + got);
  }
  left_ -= got;
}

paco::segment_header stream_input::read_header() {
  const std::uint64_t offset = file_.position();
  std::array<std::byte, paco::segment_header_bytes> bytes{};
  const std::size_t got = file_.read(bytes);
  const paco::segment_header s = paco::read_segment_header(std::span(bytes).first(got), offset);
  payload_offset_ = offset + paco::segment_header_bytes;
  left_ = s.rest();
  crc_ = crc32(bytes);
  if (file_.size() && s.rest() > *file_.size() - std::min(*file_.size(), payload_offset_)) {
    throw error(errc::truncated,
                "PaCo stream: segment " + paco::letters_of(s.type) + " of " + std::to_string(s.rest()) +
                    " bytes has only " + std::to_string(*file_.size() - payload_offset_) + " left",
                offset);
  }
  return s;
}

void stream_input::check_crc(std::uint32_t computed) {
  std::array<std::byte, 4> bytes{};
  const std::uint64_t offset = file_.position();
  read(bytes);
  const auto stored = load_little<std::uint32_t>(bytes.data());
  if (stored != computed) {
    throw error(errc::corrupt,
                "PaCo stream: segment " + paco::letters_of(segment_.type) + " has CRC-32 " + std::to_string(computed) +
                    ", its end says " + std::to_string(stored),
                offset);
  }
}

void stream_input::skip_rest(bool check) {
  if (left_ == 0) return;
  // HEAD and what was read whole up to its CRC is checked in any case: it costs nothing.
  const bool verify = segment_.has_crc && (check || left_ == 4);
  if (!verify && file_.seekable()) {
    file_.seek(file_.position() + left_);
    left_ = 0;
    return;
  }
  std::vector<std::byte> chunk(std::size_t{1} << 16);
  const std::uint64_t tail = verify ? 4 : 0;
  while (left_ > tail) {
    const auto part =
        std::span(chunk).first(static_cast<std::size_t>(std::min<std::uint64_t>(left_ - tail, chunk.size())));
    read(part);
    if (verify) crc_ = crc32(part, crc_);
  }
  if (verify) check_crc(crc_);
}

const paco::segment_header& stream_input::next(bool check) {
  while (true) {
    skip_rest(check);
    const std::uint64_t offset = file_.position();
    segment_ = read_header();
    if (segment_.type == paco::tile_type || segment_.type == paco::end_type) return segment_;
    if (segment_.type == paco::head_type || !segment_.optional) {
      throw error(segment_.type == paco::head_type ? errc::corrupt : errc::unsupported,
                  "PaCo stream: segment " + paco::letters_of(segment_.type) +
                      (segment_.type == paco::head_type ? " comes twice" : " is not known and not optional"),
                  offset);
    }
  }
}

const paco::segment_header& stream_input::next_tile(std::int64_t index, bool check) {
  next(check);
  if (segment_.type != paco::tile_type) {
    throw error(errc::corrupt,
                "PaCo stream: segment " + paco::letters_of(segment_.type) + " where tile " + std::to_string(index) +
                    " of " + std::to_string(header_.tiles()) + " should be",
                payload_offset_);
  }
  return segment_;
}

void stream_input::finish(bool check) {
  next(check);
  if (segment_.type != paco::end_type || segment_.length != 0) {
    throw error(errc::corrupt,
                "PaCo stream: segment " + paco::letters_of(segment_.type) + " where an empty END should be",
                payload_offset_);
  }
  skip_rest(true);
}

void stream_input::read_front(std::vector<std::byte>& front, std::uint64_t bytes) {
  // In steps, so that a length that lies about a pipe costs no more memory than the pipe has bytes.
  constexpr std::size_t step = std::size_t{1} << 20;
  const auto end = static_cast<std::size_t>(bytes);
  while (front.size() < end) {
    const std::size_t before = front.size();
    front.resize(std::min(end, before + step));
    const auto part = std::span(front).subspan(before);
    read(part);
    crc_ = crc32(part, crc_);
  }
}

std::span<const std::byte> stream_input::read_payload(byte_buffer& buffer) {
  const auto payload = buffer.take(segment_.length);
  read(payload);
  if (segment_.has_crc) check_crc(crc32(payload, crc_));
  return payload;
}

}  // namespace gpuimg::examples
