#include "tests/oracle/block_coder.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "tests/oracle/block_walk.hpp"

namespace gpuimg::oracle {
namespace {

/// How many bits the open codewords carry: the last ones of the pool.
std::size_t head_of_pool(const event_coder& coder, std::size_t pool_bits) {
  std::size_t free_bits = 0;
  for (int number = 0; number < lane_count; ++number) {
    const lane_interval& lane = coder.lane(number);
    if (lane.open()) free_bits += static_cast<std::size_t>(lane.free_bits());
  }
  return std::min(pool_bits, free_bits);
}

}  // namespace

std::uint64_t block_cost::decisions(int first_cell, int last_cell) const {
  std::uint64_t sum = 0;
  for (const auto& row : counts) {
    for (int cell = first_cell; cell <= last_cell; ++cell) {
      const symbol_counts& both = row.at(static_cast<std::size_t>(cell));
      sum += both[0] + both[1];
    }
  }
  return sum;
}

int planes_of(const plane& values) {
  int planes = 0;
  for (coordinate y = 0; y < values.height(); ++y) {
    for (coordinate x = 0; x < values.width(); ++x) {
      const std::int64_t magnitude = std::abs(std::int64_t{values.at(x, y)});
      planes = std::max(planes, bits_of(static_cast<std::uint64_t>(magnitude)));
    }
  }
  return planes;
}

encoded_block encode_block(const plane& values, const table_set& table, const block_options& options) {
  encoded_block result;
  result.planes = planes_of(values);
  arithmetic_encoder coder(options.bits);
  block_walk walk(values.width(), values.height(), result.planes, table, options, coder, &values);
  walk.run();

  const auto pool = walk.pool();
  const std::size_t head = head_of_pool(coder, pool.size());
  const std::size_t tail = pool.size() - head;
  std::size_t next = tail;
  for (int number = 0; number < lane_count; ++number) {
    const lane_interval lane = coder.lane(number);
    if (!lane.open()) continue;
    std::uint64_t r = 0;
    for (int i = 0; i < lane.free_bits() && next < pool.size(); ++i) {
      if (walk.true_bit(pool[next])) r += std::uint64_t{1} << i;
      ++next;
    }
    coder.set_word(lane.place, lane.low + r);
  }
  bit_string rest;
  for (std::size_t i = 0; i < tail; ++i) rest.put_bit(walk.true_bit(pool[i]));

  result.words = coder.words();
  const word_list rest_words = rest.words();
  result.words.insert(result.words.end(), rest_words.begin(), rest_words.end());
  result.cost = walk.cost();
  result.cost.pool_bits = pool.size();
  result.cost.carried_bits = head;
  return result;
}

decoded_block decode_block(const word_list& words, coordinate width, coordinate height, int planes,
                           const table_set& table, const block_options& options) {
  arithmetic_decoder coder(options.bits, words);
  block_walk walk(width, height, planes, table, options, coder, nullptr);
  walk.run();

  const auto pool = walk.pool();
  const std::size_t head = head_of_pool(coder, pool.size());
  const std::size_t tail = pool.size() - head;
  std::size_t next = tail;
  for (int number = 0; number < lane_count; ++number) {
    const lane_interval lane = coder.lane(number);
    if (!lane.open()) continue;
    std::uint64_t r = coder.word(lane.place) - lane.low;
    if (r >= std::uint64_t{1} << lane.free_bits()) {
      throw error(errc::corrupt, "code-block: last word of lane " + std::to_string(number) + " exceeds its range by " +
                                     std::to_string(r));
    }
    for (int i = 0; i < lane.free_bits() && next < pool.size(); ++i) {
      walk.set_bit(pool[next], r % 2 == 1);
      r = r / 2;
      ++next;
    }
  }
  const auto arithmetic_end = words.begin() + static_cast<std::ptrdiff_t>(coder.reserved());
  const std::size_t contents = coder.reserved() + (tail + 15) / 16;
  if (words.size() != contents) {
    throw error(errc::corrupt, "code-block: " + std::to_string(words.size()) + " words where its contents take " +
                                   std::to_string(contents));
  }
  bit_reader rest({arithmetic_end, words.end()});
  for (std::size_t i = 0; i < tail; ++i) walk.set_bit(pool[i], rest.get_bit());

  decoded_block result{walk.values(), walk.cost()};
  result.cost.pool_bits = pool.size();
  result.cost.carried_bits = head;
  return result;
}

word_list encode_raw_block(const plane& values) {
  const int planes = planes_of(values);
  bit_string bits;
  for (coordinate y = 0; y < values.height(); ++y) {
    for (coordinate x = 0; x < values.width(); ++x) {
      bits.put(static_cast<std::uint64_t>(std::abs(values.at(x, y))), planes);
      bits.put_bit(values.at(x, y) < 0);
    }
  }
  return bits.words();
}

plane decode_raw_block(const word_list& words, coordinate width, coordinate height, int planes) {
  const auto contents = static_cast<std::size_t>(divide_up(width * height * (planes + 1), 16));
  if (words.size() != contents) {
    throw error(errc::corrupt, "raw code-block: " + std::to_string(words.size()) + " words where its contents take " +
                                   std::to_string(contents));
  }
  plane values(width, height);
  bit_reader bits(words);
  for (coordinate y = 0; y < height; ++y) {
    for (coordinate x = 0; x < width; ++x) {
      const auto magnitude = static_cast<std::int32_t>(bits.get(planes));
      values.at(x, y) = bits.get_bit() ? -magnitude : magnitude;
    }
  }
  return values;
}

}  // namespace gpuimg::oracle
