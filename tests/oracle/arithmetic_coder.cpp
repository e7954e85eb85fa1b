#include "tests/oracle/arithmetic_coder.hpp"

namespace gpuimg::oracle {

void event_coder::code(event& decisions) {
  for (int number = 0; number < lane_count; ++number) {
    for (const decision& each : decisions) {
      lane_interval& lane = lanes_.at(static_cast<std::size_t>(number));
      if (each.lane == number && !lane.open()) {
        lane.low = 0;
        lane.size = (std::uint64_t{1} << bits_.codeword) - 1;
        lane.place = reserved_;
        reserve(reserved_);
        ++reserved_;
      }
    }
  }
  for (decision& each : decisions) {
    lane_interval& lane = lanes_.at(static_cast<std::size_t>(each.lane));
    const std::uint64_t threshold = ((lane.size * each.probability) >> bits_.probability) + 1;
    each.symbol = choose(lane, threshold, each.symbol);
    if (each.symbol == 0) {
      lane.size = threshold - 1;
    } else {
      lane.low += threshold;
      lane.size -= threshold;
    }
    if (lane.size == 0) close(lane);
  }
}

void arithmetic_encoder::reserve(std::size_t place) { words_.resize(place + 1, 0); }

int arithmetic_encoder::choose(const lane_interval&, std::uint64_t, int symbol) { return symbol; }

void arithmetic_encoder::close(const lane_interval& lane) { set_word(lane.place, lane.low); }

void arithmetic_decoder::reserve(std::size_t place) {
  if (place >= words_.size()) {
    throw error(errc::corrupt,
                "code-block asks for word " + std::to_string(place) + " of " + std::to_string(words_.size()));
  }
}

int arithmetic_decoder::choose(const lane_interval& lane, std::uint64_t threshold, int) {
  return word(lane.place) >= lane.low + threshold ? 1 : 0;
}

void arithmetic_decoder::close(const lane_interval&) {}

}  // namespace gpuimg::oracle
