#include "tests/oracle/block_walk.hpp"

#include <algorithm>
#include <cstdlib>

namespace gpuimg::oracle {
namespace {

constexpr int sign_cell = 9;
constexpr int refinement_cell = 13;
constexpr int quiet_strip_cell = 14;
constexpr int lively_strip_cell = 15;

/// Any significance plane counts: the passes above the fast planes know a coefficient's s from the moment on.
constexpr int any_plane = 0;

int sign_of(int number) { return number > 0 ? 1 : number < 0 ? -1 : 0; }

}  // namespace

block_walk::block_walk(coordinate width, coordinate height, int planes, const table_set& table,
                       const block_options& options, event_coder& coder, const plane* truth)
    : width_(width),
      height_(height),
      planes_(planes),
      table_(table),
      options_(options),
      coder_(coder),
      truth_(truth),
      columns_of_a_lane_(std::max(1, options.block_width / lane_count)),
      significance_plane_(width, height, -1),
      magnitude_(width, height, 0),
      negative_(width, height, 0) {
  if (width > options.block_width) throw error(errc::invalid_argument, "oracle: block wider than the header's blocks");
  if (planes > plane_limit) throw error(errc::invalid_argument, "oracle: more than 24 planes");
  if (options.fast_planes > planes) throw error(errc::invalid_argument, "oracle: more fast planes than planes");
}

void block_walk::run() {
  for (int j = planes_ - 1; j >= options_.fast_planes; --j) {
    skipped_strip_.assign(static_cast<std::size_t>(divide_up(height_, 2)), false);
    if (options_.strip_flags) strip_flags(j);
    significance(j);
    refinement(j);
  }
  if (options_.fast_planes > 0) fast_planes();
  cost_.arithmetic_words = coder_.reserved();
}

std::vector<block_walk::visit> block_walk::step(coordinate k) const {
  std::vector<visit> visits;
  for (int lane = 0; lane < lane_count; ++lane) {
    const coordinate x = columns_of_a_lane_ * lane + k;
    if (x < width_) visits.push_back({lane, x});
  }
  return visits;
}

void block_walk::strip_flags(int j) {
  const coordinate strips = divide_up(height_, 2);
  for (coordinate first = 0; first < strips; first += lane_count) {
    question_list flags;
    for (int lane = 0; lane < lane_count && first + lane < strips; ++lane) {
      const coordinate strip = first + lane;
      bool has_flag = false;
      bool becomes_significant = false;
      for (coordinate y = 2 * strip; y < std::min(2 * strip + 2, height_); ++y) {
        for (coordinate x = 0; x < width_; ++x) {
          if (!significant(x, y, any_plane)) has_flag = true;
          if (true_significance(x, y) == j) becomes_significant = true;
        }
      }
      bool lively = false;
      for (coordinate y = 2 * strip - 1; y <= 2 * strip + 2; ++y) {
        for (coordinate x = 0; x < width_; ++x) {
          if (significant(x, y, any_plane)) lively = true;
        }
      }
      const int cell = lively ? lively_strip_cell : quiet_strip_cell;
      if (has_flag) {
        flags.push_back({lane, 0, 2 * strip, cell, becomes_significant ? 1 : 0});
      } else {
        skipped_strip_.at(static_cast<std::size_t>(strip)) = true;
      }
    }
    ask(j, flags);
    for (const question& flag : flags) {
      if (flag.symbol == 0) skipped_strip_.at(static_cast<std::size_t>(flag.y / 2)) = true;
    }
  }
}

void block_walk::significance(int j) {
  for (coordinate y = 0; y < height_; ++y) {
    if (skipped_strip_.at(static_cast<std::size_t>(y / 2))) continue;
    for (coordinate k = 0; k < columns_of_a_lane_; ++k) {
      question_list bits;
      grid<sign_context> contexts(width_, 1);
      for (const auto [lane, x] : step(k)) {
        if (significant(x, y, any_plane)) continue;
        bits.push_back({lane, x, y, neighbours(x, y, any_plane), true_symbol(x, y, j)});
        contexts.at(x, 0) = context_of_sign(x, y, any_plane);
      }
      ask(j, bits);
      ask_signs(j, bits, contexts);
    }
  }
}

void block_walk::refinement(int j) {
  std::vector<question_list> entries(lane_count);  // of each lane, in scan order
  for (coordinate y = 0; y < height_; ++y) {
    for (coordinate k = 0; k < columns_of_a_lane_; ++k) {
      question_list bits;
      for (const auto [lane, x] : step(k)) {
        if (!refines(x, y, j)) continue;
        bits.push_back({lane, x, y, refinement_cell, true_symbol(x, y, j)});
        entries.at(static_cast<std::size_t>(lane)).push_back(bits.back());
      }
      if (options_.compact_refinement) continue;
      ask(j, bits);
      for (const question& bit : bits) set_bit({bit.x, bit.y, j, false}, bit.symbol == 1);
    }
  }
  if (!options_.compact_refinement) return;
  std::size_t longest = 0;
  for (const question_list& of_lane : entries) longest = std::max(longest, of_lane.size());
  for (std::size_t e = 0; e < longest; ++e) {
    question_list bits;
    for (const question_list& of_lane : entries) {
      if (e < of_lane.size()) bits.push_back(of_lane[e]);
    }
    ask(j, bits);
    for (const question& bit : bits) set_bit({bit.x, bit.y, j, false}, bit.symbol == 1);
  }
}

void block_walk::fast_planes() {
  for (coordinate y = 0; y < height_; ++y) {
    for (coordinate k = 0; k < columns_of_a_lane_; ++k) fast_step(y, k);
  }
}

// A coefficient that comes later in the scan is known to be significant here only with s >= N; the one lowest plane N-1
// therefore says what the document says of those before and those after.
void block_walk::fast_step(coordinate y, coordinate k) {
  const int lowest_plane = options_.fast_planes - 1;
  grid<int> phi(width_, 1);
  grid<sign_context> contexts(width_, 1);
  for (const auto [lane, x] : step(k)) {
    phi.at(x, 0) = neighbours(x, y, lowest_plane);
    contexts.at(x, 0) = context_of_sign(x, y, lowest_plane);
  }
  for (int j = options_.fast_planes - 1; j >= 0; --j) {
    question_list refinements;
    question_list bits;
    for (const auto [lane, x] : step(k)) {
      if (refines(x, y, j)) refinements.push_back({lane, x, y, refinement_cell, true_symbol(x, y, j)});
      if (!significant(x, y, any_plane)) bits.push_back({lane, x, y, phi.at(x, 0), true_symbol(x, y, j)});
    }
    ask(j, refinements);
    for (const question& bit : refinements) set_bit({bit.x, bit.y, j, false}, bit.symbol == 1);
    ask(j, bits);
    ask_signs(j, bits, contexts);
  }
}

/// One event: the coder answers the questions from row j of the table.
void block_walk::ask(int j, question_list& questions) {
  if (questions.empty()) return;
  const auto row = static_cast<std::size_t>(j);
  event decisions;
  for (const question& each : questions) {
    decisions.push_back({each.lane, each.symbol, table_.at(row).at(static_cast<std::size_t>(each.cell))});
  }
  coder_.code(decisions);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    questions[i].symbol = decisions[i].symbol;
    const auto cell = static_cast<std::size_t>(questions[i].cell);
    ++cost_.counts.at(row).at(cell).at(static_cast<std::size_t>(questions[i].symbol));
  }
  ++cost_.events;
}

/// The sign event after a significance event; then its coefficients become significant.
void block_walk::ask_signs(int j, const question_list& bits, const grid<sign_context>& contexts) {
  question_list signs;
  for (const question& bit : bits) {
    if (bit.symbol == 0 || sign_is_raw(bit.y, j)) continue;
    const sign_context context = contexts.at(bit.x, 0);
    const bool surprise = true_negative(bit.x, bit.y) != context.predicts_negative;
    signs.push_back({bit.lane, bit.x, bit.y, sign_cell + context.sign_class, surprise ? 1 : 0});
  }
  ask(j, signs);
  for (const question& sign : signs) {
    const bool predicts_negative = contexts.at(sign.x, 0).predicts_negative;
    negative_.at(sign.x, sign.y) = (sign.symbol == 1) != predicts_negative ? 1 : 0;
  }
  for (const question& bit : bits) {
    if (bit.symbol == 0) continue;
    significance_plane_.at(bit.x, bit.y) = j;
    set_bit({bit.x, bit.y, j, false}, true);
  }
}

bool block_walk::significant(coordinate x, coordinate y, int lowest_plane) const {
  return significance_plane_.contains(x, y) && significance_plane_.at(x, y) >= lowest_plane;
}

/// Whether plane j of a coefficient is refined by the arithmetic coder.
bool block_walk::refines(coordinate x, coordinate y, int j) const {
  const int s = significance_plane_.at(x, y);
  const bool raw = j < options_.raw_planes && s >= j + 2;
  return s > j && !raw;
}

bool block_walk::sign_is_raw(coordinate y, int significance_plane) const {
  const coordinate raw_rows = divide_up(height_ * options_.raw_sign_sevenths, 7);
  return options_.raw_signs && significance_plane == 0 && y >= height_ - raw_rows;
}

int block_walk::neighbours(coordinate x, coordinate y, int lowest_plane) const {
  int count = 0;
  for (coordinate dy = -1; dy <= 1; ++dy) {
    for (coordinate dx = -1; dx <= 1; ++dx) {
      const bool itself = dx == 0 && dy == 0;
      if (!itself && significant(x + dx, y + dy, lowest_plane)) ++count;
    }
  }
  return count;
}

int block_walk::chi(coordinate x, coordinate y, int lowest_plane) const {
  if (!significant(x, y, lowest_plane)) return 0;
  if (sign_is_raw(y, significance_plane_.at(x, y))) return 0;
  return negative_.at(x, y) == 1 ? -1 : 1;
}

block_walk::sign_context block_walk::context_of_sign(coordinate x, coordinate y, int lowest_plane) const {
  const int h = sign_of(chi(x - 1, y, lowest_plane) + chi(x + 1, y, lowest_plane));
  const int v = sign_of(chi(x, y - 1, lowest_plane) + chi(x, y + 1, lowest_plane));
  if (h == 0 && v == 0) return {0, false};
  if (h == 0) return {1, v < 0};
  if (v == 0) return {2, h < 0};
  if (v == h) return {3, h < 0};
  return {0, h < 0};
}

std::vector<block_walk::raw_bit> block_walk::pool() const {
  std::vector<raw_bit> places;
  for (int j = std::min(options_.raw_planes, planes_) - 1; j >= 0; --j) {
    for (coordinate y = 0; y < height_; ++y) {
      for (coordinate k = 0; k < columns_of_a_lane_; ++k) {
        for (const auto [lane, x] : step(k)) {
          if (significance_plane_.at(x, y) >= j + 2) places.push_back({x, y, j, false});
        }
      }
    }
  }
  for (coordinate y = 0; y < height_; ++y) {
    for (coordinate k = 0; k < columns_of_a_lane_; ++k) {
      for (const auto [lane, x] : step(k)) {
        const int s = significance_plane_.at(x, y);
        if (s == 0 && sign_is_raw(y, s)) places.push_back({x, y, 0, true});
      }
    }
  }
  return places;
}

bool block_walk::true_bit(const raw_bit& place) const {
  return place.is_sign ? true_negative(place.x, place.y) : true_symbol(place.x, place.y, place.plane) == 1;
}

void block_walk::set_bit(const raw_bit& place, bool bit) {
  if (!bit) return;
  if (place.is_sign) {
    negative_.at(place.x, place.y) = 1;
  } else {
    magnitude_.at(place.x, place.y) += 1U << place.plane;
  }
}

plane block_walk::values() const {
  plane result(width_, height_);
  for (coordinate y = 0; y < height_; ++y) {
    for (coordinate x = 0; x < width_; ++x) {
      const auto magnitude = static_cast<std::int32_t>(magnitude_.at(x, y));
      result.at(x, y) = negative_.at(x, y) == 1 ? -magnitude : magnitude;
    }
  }
  return result;
}

std::uint32_t block_walk::true_magnitude(coordinate x, coordinate y) const {
  return truth_ == nullptr ? 0 : static_cast<std::uint32_t>(std::abs(truth_->at(x, y)));
}

int block_walk::true_significance(coordinate x, coordinate y) const { return bits_of(true_magnitude(x, y)) - 1; }

int block_walk::true_symbol(coordinate x, coordinate y, int j) const {
  return static_cast<int>((true_magnitude(x, y) >> j) % 2);
}

bool block_walk::true_negative(coordinate x, coordinate y) const { return truth_ != nullptr && truth_->at(x, y) < 0; }

}  // namespace gpuimg::oracle
