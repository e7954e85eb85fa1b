// What the host's decoder makes of streams that no encoder writes: an error that names the place, or a picture.
#include <algorithm>
#include <array>
#include <ctime>
#include <doctest/doctest.h>
#include <random>
#include <string>
#include <vector>

#include "tests/codec/paco_streams.hpp"

namespace {

using namespace gpuimg;
using namespace paco_tests;

constexpr std::uint64_t most_samples = 1 << 16;
constexpr std::size_t head_at = 32;  // payload of HEAD

/// A small stream of each kind.
std::vector<stream_bytes> make_seeds() {
  using enum content;
  std::vector<picture_case> cases(10);
  cases[0] = {.width = 40, .height = 30};
  cases[1] = {.width = 33, .height = 35, .components = 3};
  cases[1].options.crc = true;
  cases[2] = {.width = 30, .height = 30, .components = 4, .block = 16};
  cases[2].options.tile_width = cases[2].options.tile_height = 16;
  cases[3] = {.width = 50, .height = 20, .depth = 16, .block = 32, .kind = edges};
  cases[4] = {.width = 21, .height = 40, .components = 2, .depth = 12, .is_signed = true};
  cases[4].options.features = {true, true, true};
  cases[5] = {.width = 64, .height = 40, .block = 128, .kind = sparse};
  cases[5].options.features = {false, false, false};
  cases[6] = {.width = 35, .height = 35, .components = 3, .depth = 7, .is_signed = true};
  cases[6].options.fast_planes = 3;
  cases[7] = {.width = 20, .height = 20, .kind = noise};
  cases[8] = {.width = 60, .height = 50, .block = 16, .kind = flat};
  cases[9] = {.width = 31, .height = 31, .components = 3};
  cases[9].options.choice = paco::table_choice::standard;
  cases[9].options.raw_planes = 24;
  std::vector<stream_bytes> seeds;
  for (const auto& c : cases) {
    const auto codec = make_host_codec(c.block, c.options);
    with_sample_type(c.depth, c.is_signed, [&](auto sample) {
      const auto picture = make_picture<decltype(sample)>(c, arrangement::planar);
      seeds.push_back(encode(*codec, picture.read_only(), c.depth));
    });
  }
  return seeds;
}

/// What became of a stream. Anything but an error of a stream or a picture fails the test.
struct outcome {
  bool is_picture = false;
  errc code = errc::io;
  std::string what;
  std::uint64_t offset = 0;
};

outcome outcome_of(const stream_bytes& stream, int fill = 0x55, std::vector<std::int32_t>* samples = nullptr) {
  outcome result;
  try {
    auto picture = decode_any_stream(stream, most_samples, fill);
    if (samples != nullptr) { *samples = std::move(picture.samples); }
    result.is_picture = true;
  } catch (const error& e) {
    result.code = e.code();
    result.what = e.what();
    CAPTURE(result.what);
    const bool is_limit = e.code() == errc::out_of_memory;
    CHECK((is_limit || e.code() == errc::truncated || e.code() == errc::corrupt || e.code() == errc::unsupported));
    CHECK((is_limit || e.offset().has_value()));
    result.offset = e.offset().value_or(0);
    CHECK(result.offset <= stream.size());
  }
  return result;
}

stream_bytes with_bytes(stream_bytes stream, std::size_t at, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) { stream.at(at + i) = static_cast<std::byte>(value >> (8 * i)); }
  return stream;
}

void check_named(const stream_bytes& stream, const char* field, std::uint64_t offset) {
  const auto result = outcome_of(stream);
  CAPTURE(field);
  CAPTURE(result.what);
  CHECK_FALSE(result.is_picture);
  CHECK(result.what.find(field) != std::string::npos);
  CHECK(result.offset == offset);
}

}  // namespace

TEST_CASE("a stream cut at any byte is truncated") {
  const auto seeds = make_seeds();
  for (const std::size_t seed : {0u, 1u, 2u}) {
    const auto& stream = seeds[seed];
    CHECK(outcome_of(stream).is_picture);
    for (std::size_t size = 0; size < stream.size(); ++size) {
      CAPTURE(size);
      const stream_bytes cut(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(size));
      REQUIRE(outcome_of(cut).code == errc::truncated);
    }
  }
}

TEST_CASE("bytes behind the end are not part of the stream") {
  auto stream = make_seeds().front();
  stream.resize(stream.size() + 100, std::byte{0x77});
  CHECK(outcome_of(stream).is_picture);
}

TEST_CASE("mutated streams end in an error or a picture, in bounded time") {
  const auto seeds = make_seeds();
  const int rounds = 100000 / slow_build_stride / static_cast<int>(seeds.size());
  int pictures = 0;
  double longest = 0;
  for (std::size_t seed = 0; seed < seeds.size(); ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    for (int round = 0; round < rounds; ++round) {
      CAPTURE(seed);
      CAPTURE(round);
      auto stream = seeds[seed];
      const auto place = [&] { return random() % stream.size(); };
      switch (round % 5) {
        case 0: stream[place()] ^= static_cast<std::byte>(1u << random() % 8); break;
        case 1: stream[place()] = static_cast<std::byte>(random()); break;
        case 2:
          for (auto n = 2 + random() % 7; n > 0; --n) { stream[place()] = static_cast<std::byte>(random()); }
          break;
        case 3: {  // a run of one value
          const auto from = place();
          const auto count = std::min<std::size_t>(1 + random() % 16, stream.size() - from);
          std::fill_n(stream.begin() + static_cast<std::ptrdiff_t>(from), count,
                      random() % 2 == 0 ? std::byte{0} : std::byte{0xFF});
          break;
        }
        default: {  // a part taken from elsewhere, of this stream or of another
          const auto& other = seeds[random() % seeds.size()];
          const auto from = random() % other.size();
          const auto to = place();
          const auto count = std::min({std::size_t{1} + random() % 64, other.size() - from, stream.size() - to});
          std::copy_n(other.begin() + static_cast<std::ptrdiff_t>(from), count,
                      stream.begin() + static_cast<std::ptrdiff_t>(to));
        }
      }
      const std::clock_t start = std::clock();
      std::vector<std::int32_t> samples;
      const auto result = outcome_of(stream, 0x55, &samples);
      longest = std::max(longest, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
      if (!result.is_picture) { continue; }
      if (++pictures % 8 == 0) {  // no sample is left as it was
        std::vector<std::int32_t> again;
        REQUIRE(outcome_of(stream, 0x2A, &again).is_picture);
        REQUIRE(again == samples);
      }
    }
  }
  MESSAGE("pictures: ", pictures, ", longest: ", longest, " s");
  CHECK(longest < 0.5 * slow_build_stride);
}

TEST_CASE("every field of HEAD is checked, and named with its place") {
  const auto stream = make_seeds().at(2);  // four components, colour transform, tiles
  struct head_field {
    std::size_t at;
    std::size_t size;
    std::uint64_t value;
    const char* named;
  };
  const std::vector<head_field> wrong = {{8, 4, 0, "tile width"},       {12, 4, 0, "tile height"},
                                         {16, 2, 0, "components"},      {18, 2, 4, "colour transform"},
                                         {20, 2, 0xFFFF, "colour"},     {22, 2, 65535, "colour"},
                                         {24, 1, 0, "depth"},           {24, 1, 17, "depth"},
                                         {24, 1, 255, "depth"},         {25, 1, 4, "picture flags"},
                                         {25, 1, 255, "picture flags"}, {26, 1, 2, "colour transform"},
                                         {26, 1, 255, "colour"},        {27, 1, 1, "wavelet"},
                                         {27, 1, 255, "wavelet"},       {28, 1, 33, "levels"},
                                         {28, 1, 255, "levels"},        {29, 1, 0, "block width"},
                                         {29, 1, 3, "block width"},     {29, 1, 255, "block width"},
                                         {30, 1, 1, "block height"},    {30, 1, 255, "block height"},
                                         {31, 1, 0, "codeword"},        {31, 1, 255, "codeword"},
                                         {32, 1, 0, "probability"},     {32, 1, 255, "probability"},
                                         {33, 1, 25, "raw planes"},     {33, 1, 255, "raw planes"},
                                         {34, 2, 16, "features"},       {34, 2, 65535, "features"},
                                         {36, 4, 0, "table set"},       {36, 4, 0xFFFFFFFF, "table set"},
                                         {44, 4, 1, "reserved"},        {44, 4, 0xFFFFFFFF, "reserved"}};
  for (const auto& f : wrong) {
    check_named(with_bytes(stream, head_at + f.at, f.value, f.size), f.named, head_at + f.at);
  }
  check_named(with_bytes(stream, head_at + 40, 1, 4), "checksum", head_at + 36);
  check_named(with_bytes(stream, head_at + 29, 5, 1), "32x16", head_at + 29);
  check_named(with_bytes(with_bytes(stream, head_at + 18, 1, 2), head_at + 20, 1, 2), "once", head_at + 18);
  // Whatever a field says, the result is an error or a picture.
  for (std::size_t at = 0; at < 48; ++at) {
    for (const std::size_t size : {1u, 2u, 4u}) {
      for (const std::uint64_t value :
           {0x0ull, 0x1ull, 0x2ull, 0x7Full, 0x80ull, 0x7FFFFFFFull, 0x80000000ull, 0xFFFFFFFFull}) {
        if (at + size <= 48) { outcome_of(with_bytes(stream, head_at + at, value, size)); }
      }
    }
  }
}

TEST_CASE("numbers of tiles and of samples that have no room in 64 bits are refused") {
  const auto seed = make_seeds().front();
  const auto head = [&](std::uint64_t width, std::uint64_t height, std::uint64_t tile_width,
                        std::uint64_t tile_height) {
    auto s = with_bytes(seed, head_at, width, 4);
    s = with_bytes(with_bytes(s, head_at + 4, height, 4), head_at + 8, tile_width, 4);
    return with_bytes(s, head_at + 12, tile_height, 4);
  };
  check_named(head(0xFFFFFFFF, 0xFFFFFFFF, 1, 1), "number of tile rows", head_at + 12);
  check_named(head(0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF), "2^59", head_at + 12);
  const auto nearly = paco::read_header(head(0xFFFFFFFF, 0xFFFFFFFF, 2, 1));
  CHECK(nearly.tiles() == std::int64_t{0x80000000} * 0xFFFFFFFF);
  CHECK(paco::tile_of(nearly, nearly.tiles() - 1).x == 0xFFFFFFFE);
  CHECK(paco::tile_of(nearly, nearly.tiles() - 1).width == 1);
  CHECK(outcome_of(head(0xFFFFFFFF, 0xFFFFFFFF, 2, 1)).code == errc::out_of_memory);
  // An empty picture of the largest width has no tiles, so a tile of it is one too many.
  CHECK(outcome_of(head(0xFFFFFFFF, 0, 1, 1)).code == errc::corrupt);
}

TEST_CASE("every field of a segment and of a tile is checked, and named with its place") {
  const auto stream = make_seeds().front();
  const std::size_t tile = head_at + 48;  // header of the segment
  check_named(with_bytes(stream, tile, 0, 4), "????", tile);
  check_named(with_bytes(stream, tile, 0x58585858, 4), "XXXX", tile);
  check_named(with_bytes(stream, 16, 0x58585858, 4), "XXXX", 16);
  check_named(with_bytes(stream, 16, paco::tile_type, 4), "HEAD", head_at);
  check_named(with_bytes(stream, 24, 46, 8), "length of HEAD", head_at);
  check_named(with_bytes(stream, 24, 0, 8), "length of HEAD", head_at);
  check_named(with_bytes(stream, tile + 4, 4, 4), "segment flags", tile + 4);
  check_named(with_bytes(stream, tile + 4, 0xFFFFFFFF, 4), "segment flags", tile + 4);
  for (const std::uint64_t length : {std::uint64_t{1} << 62, UINT64_MAX, UINT64_MAX - 1, std::uint64_t{33}}) {
    check_named(with_bytes(stream, tile + 8, length, 8), "segment length", tile + 8);
  }
  check_named(with_bytes(stream, tile + 8, (std::uint64_t{1} << 62) - 2, 8), "segment TILE", tile);
  check_named(with_bytes(stream, tile + 8, 0, 8), "header", tile + 16);
  const std::size_t payload = tile + 16;
  for (const std::uint64_t index : {std::uint64_t{1}, UINT64_MAX, std::uint64_t{1} << 63}) {
    check_named(with_bytes(stream, payload, index, 8), "index of a tile", payload);
  }
  check_named(with_bytes(stream, payload + 8, 2, 1), "tile mode", payload + 8);
  check_named(with_bytes(stream, payload + 8, 255, 1), "tile mode", payload + 8);
  check_named(with_bytes(stream, payload + 9, 255, 1), "tables", payload + 9);
  check_named(with_bytes(stream, payload + 10, 1, 2), "reserved", payload + 10);
  for (const std::uint64_t value : {std::uint64_t{1}, std::uint64_t{0xFFFFFFFE}, std::uint64_t{0xFFFFFFFF}}) {
    check_named(with_bytes(stream, payload + 12, value, 4), "length of the tables", payload + 12);
  }
  for (const std::uint64_t value : {std::uint64_t{1}, UINT64_MAX - 1, UINT64_MAX, (std::uint64_t{1} << 62) - 2}) {
    check_named(with_bytes(stream, payload + 16, value, 8), "length of the block index", payload + 16);
  }
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, UINT64_MAX - 1, UINT64_MAX}) {
    check_named(with_bytes(stream, payload + 24, value, 8), "length of the code-blocks", payload + 24);
  }
  // The end.
  const std::size_t end = stream.size() - 16;
  check_named(with_bytes(stream, end, paco::tile_type, 4), "END", end + 16);
  check_named(with_bytes(stream, end, paco::head_type, 4), "END", end + 16);
  check_named(with_bytes(stream, 8, 2, 1), "version 2", 8);
  check_named(with_bytes(stream, 10, 1, 1), "reserved", 10);
  check_named(with_bytes(stream, 0, 0, 1), "magic", 0);
  CHECK(outcome_of(with_bytes(stream, 9, 7, 1)).is_picture);  // any minor version
}

TEST_CASE("a segment before HEAD is refused, even an optional one") {
  const auto stream = make_seeds().front();
  stream_bytes other(stream.begin(), stream.begin() + 16);
  other.resize(32);
  paco::write_segment_header(other.data() + 16, {paco::segment_type("NOTE"), false, true, 0});
  other.insert(other.end(), stream.begin() + 16, stream.end());
  CHECK(outcome_of(other).code == errc::corrupt);
}

TEST_CASE("a checksum finds every changed byte of its segment") {
  const auto stream = make_seeds().at(1);
  for (std::size_t at = 16; at < stream.size(); ++at) {
    CAPTURE(at);
    const auto result = outcome_of(with_bytes(stream, at, static_cast<std::uint64_t>(stream[at]) ^ 0x40, 1));
    REQUIRE_FALSE(result.is_picture);
  }
}

TEST_CASE("a single tile's payload is checked like a stream, and the view it goes to as well") {
  picture_case c{.width = 40, .height = 30, .components = 3};
  c.options.tile_width = 25;
  const auto picture = make_picture<std::uint8_t>(c, arrangement::planar);
  paco::encoder<paco::lossless> encoder(host{1}, c.options);
  const auto h = encoder.header(c.format<std::uint8_t>());
  stream_bytes first(static_cast<std::size_t>(paco::tile_bound(h, 25, 30)));
  first.resize(static_cast<std::size_t>(encoder.encode_tile(h, picture.read_only().crop(0, 0, 25, 30), 0, first)));
  const auto payload = std::span<const std::byte>(first).subspan(16);
  paco::decoder<paco::lossless> decoder(host{1});
  stored_picture<std::uint8_t> to(h.picture, arrangement::cropped);
  const auto place = to.view().crop(0, 0, 25, 30);
  const auto code_of = [&](std::span<const std::byte> bytes, std::int64_t index, auto view) {
    try {
      decoder.decode_tile(h, bytes, index, 1000, view);
    } catch (const error& e) {
      if (e.code() != errc::invalid_argument) {
        REQUIRE(e.offset().has_value());
        CHECK(*e.offset() >= 1000);
        CHECK(*e.offset() <= 1000 + bytes.size());
      }
      return e.code();
    }
    return errc::io;  // none
  };
  CHECK(code_of(payload, 0, place) == errc::io);
  for (std::size_t size = 0; size < payload.size(); ++size) {
    CHECK(code_of(payload.first(size), 0, place) == (size < 32 ? errc::truncated : errc::corrupt));
  }
  CHECK(code_of(payload, 1, to.view().crop(25, 0, 15, 30)) == errc::corrupt);
  CHECK(code_of(payload, 0, to.view().crop(0, 0, 24, 30)) == errc::invalid_argument);
  CHECK(code_of(payload, 2, place) == errc::invalid_argument);
  CHECK(code_of(payload, -1, place) == errc::invalid_argument);
  auto bands = place;
  bands.bands = 2;
  CHECK(code_of(payload, 0, bands) == errc::invalid_argument);
  stored_picture<std::int8_t> is_signed(h.picture, arrangement::planar);
  CHECK(code_of(payload, 0, is_signed.view().crop(0, 0, 25, 30)) == errc::invalid_argument);
  std::mt19937 random(3);
  for (int round = 0; round < 3000 / slow_build_stride; ++round) {
    stream_bytes bytes(payload.begin(), payload.end());
    const std::size_t from = round % 2 == 0 ? 32 : 0;
    for (int i = 0; i < 4; ++i) { bytes[from + random() % (bytes.size() - from)] = static_cast<std::byte>(random()); }
    code_of(bytes, 0, place);
  }
  CHECK(code_of(payload, 0, place) == errc::io);
  CHECK(to.padding_is_intact());
}
