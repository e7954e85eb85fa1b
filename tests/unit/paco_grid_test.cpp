// Bit-exact round trips on the host over all small sizes and levels, with every other choice cycled through them.
#include <array>
#include <doctest/doctest.h>
#include <set>
#include <utility>
#include <vector>

#include "tests/codec/paco_streams.hpp"

namespace {

using namespace gpuimg;
using namespace paco_tests;

/// What a round trip is made of. Each is a factor with so many values.
enum factor : std::size_t {
  sample,  // type and depth
  components,
  level_count,
  width_of,
  height_of,
  source_order,
  decoded_order,
  block_size,
  features,
  fast_planes,
  raw_planes,
  contents,
  tables,
  color,
  checksum,
  tiling,
  factors
};
constexpr std::array<int, factors> values = {48, 3, 7, 33, 33, arrangements, arrangements, 4, 8, 3, 4, 5, 2, 2, 2, 4};

/// Draws choices and keeps the pairs of them that have occurred.
class choices {
 public:
  std::array<int, factors> draw(int width, int height, int levels, int components_choice) {
    std::array<int, factors> c{};
    for (std::size_t f = 0; f < factors; ++f) {
      c[f] = static_cast<int>(hash(++state_) % static_cast<std::uint32_t>(values[f]));
    }
    c[width_of] = width - 1;
    c[height_of] = height - 1;
    c[level_count] = levels;
    c[components] = components_choice;
    for (std::size_t f = 0; f < factors; ++f) {
      for (std::size_t g = 0; g < f; ++g) { pairs_.insert({(f * factors + g), c[f] * 64 + c[g]}); }
    }
    return c;
  }
  bool every_pair_occurred() const {
    std::size_t wanted = 0;
    for (std::size_t f = 0; f < factors; ++f) {
      for (std::size_t g = 0; g < f; ++g) { wanted += static_cast<std::size_t>(values[f] * values[g]); }
    }
    return pairs_.size() == wanted;
  }

 private:
  std::uint32_t state_ = 0;
  std::set<std::pair<std::size_t, int>> pairs_;
};

/// The choices as a case. Types: u8 and i8 with depths 1..8, u16 and i16 with depths 1..16.
picture_case case_of(const std::array<int, factors>& c) {
  const int s = c[sample];
  picture_case p;
  p.width = c[width_of] + 1;
  p.height = c[height_of] + 1;
  p.components = std::array{1, 3, 4}[static_cast<std::size_t>(c[components])];
  p.depth = s < 16 ? s % 8 + 1 : (s - 16) % 16 + 1;
  p.is_signed = s < 16 ? s >= 8 : s >= 32;
  p.block = 16 << c[block_size];
  p.kind = static_cast<content>(c[contents]);
  auto& o = p.options;
  o.levels = c[level_count];
  o.features = {(c[features] & 1) != 0, (c[features] & 2) != 0, (c[features] & 4) != 0};
  o.fast_planes = std::array{0, 2, 24}[static_cast<std::size_t>(c[fast_planes])];
  o.raw_planes = std::array{0, 1, 2, 24}[static_cast<std::size_t>(c[raw_planes])];
  o.choice = c[tables] == 0 ? paco::table_choice::automatic : paco::table_choice::standard;
  o.color_transform = c[color] == 0;
  if (p.components == 4) { o.color_components = {3, 0, 2}; }
  o.crc = c[checksum] == 1;
  o.tile_width = std::array{0, 7, 16, 40}[static_cast<std::size_t>(c[tiling])];
  o.tile_height = std::array{0, 40, 16, 5}[static_cast<std::size_t>(c[tiling])];
  return p;
}

template <class S>
void check_round_trip(const picture_case& p, const std::array<int, factors>& c) {
  CAPTURE(p.name());
  CAPTURE(sizeof(S));
  const auto picture = make_picture<S>(p, static_cast<arrangement>(c[source_order]));
  const auto codec = make_host_codec(p.block, p.options);
  const auto stream = encode(*codec, picture.read_only(), p.depth);
  const auto h = paco::read_header(stream);
  const bool same = decodes_to(*codec, stream, picture.read_only(), static_cast<arrangement>(c[decoded_order]));
  const bool header_same = h.picture == p.format<S>() && h == codec->header(h.picture) && h.lossless;
  CHECK(same);
  CHECK(header_same);
}

void check_type(const picture_case& p, const std::array<int, factors>& c) {
  if (c[sample] < 8) { return check_round_trip<std::uint8_t>(p, c); }
  if (c[sample] < 16) { return check_round_trip<std::int8_t>(p, c); }
  if (c[sample] < 32) { return check_round_trip<std::uint16_t>(p, c); }
  check_round_trip<std::int16_t>(p, c);
}

}  // namespace

TEST_CASE("every size of 1..33, level and number of components comes back bit for bit") {
  choices all;
  int number = 0;
  for (int width = 1; width <= 33; ++width) {
    for (int height = 1; height <= 33; ++height) {
      for (int levels = 0; levels <= 6; ++levels) {
        for (int n = 0; n < 9; ++n) {  // components, three draws of the rest
          const auto c = all.draw(width, height, levels, n % 3);
          if (number++ % slow_build_stride != 0) { continue; }
          check_type(case_of(c), c);
        }
      }
    }
  }
  CHECK(all.every_pair_occurred());
}
