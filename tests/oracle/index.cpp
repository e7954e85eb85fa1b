#include "tests/oracle/index.hpp"

#include <algorithm>
#include <string>

#include "tests/oracle/block_coder.hpp"

namespace gpuimg::oracle {
namespace {

/// The word of a group.
struct group_word {
  int smallest_planes = 0;
  int plane_bits = 0;
  int length_bits = 0;
  bool has_raw = false;
};

group_word describe(const std::vector<block_entry>& group) {
  int smallest = plane_limit;
  int largest = 0;
  std::size_t longest = 0;
  bool has_raw = false;
  for (const block_entry& block : group) {
    smallest = std::min(smallest, block.planes);
    largest = std::max(largest, block.planes);
    longest = std::max(longest, block.length);
    has_raw = has_raw || block.raw;
  }
  return {smallest, bits_of(static_cast<std::uint64_t>(largest - smallest)), bits_of(longest), has_raw};
}

void check(bool right, const std::string& what, std::uint64_t value) {
  if (!right) throw error(errc::corrupt, "block index: " + what + " is " + std::to_string(value));
}

group_word parse(std::uint16_t word) {
  bit_reader bits({word});
  group_word result;
  result.smallest_planes = static_cast<int>(bits.get(5));
  result.plane_bits = static_cast<int>(bits.get(3));
  result.length_bits = static_cast<int>(bits.get(5));
  result.has_raw = bits.get_bit();
  check(bits.get(2) == 0, "a group's word (bits 14 and 15 must be 0)", word);
  check(result.smallest_planes <= plane_limit, "m", static_cast<std::uint64_t>(result.smallest_planes));
  check(result.plane_bits <= 5, "a", static_cast<std::uint64_t>(result.plane_bits));
  return result;
}

void check(const block_entry& block) {
  check(block.planes <= plane_limit, "M", static_cast<std::uint64_t>(block.planes));
  check(block.fast_planes <= block.planes, "N", static_cast<std::uint64_t>(block.fast_planes));
  if (block.planes == 0) {
    check(block.length == 0, "the length of an empty block", block.length);
    check(!block.raw, "the raw bit of an empty block", 1);
  }
  if (block.planes == 0 || block.raw) {
    check(block.fast_planes == 0, "N of an empty or raw block", static_cast<std::uint64_t>(block.fast_planes));
    check(block.raw_sign_sevenths == 0, "q of an empty or raw block",
          static_cast<std::uint64_t>(block.raw_sign_sevenths));
  }
}

}  // namespace

word_list write_index(const block_index& index, index_fields fields) {
  word_list words;
  bit_string entries;
  for (const auto& group : index) {
    const group_word common = describe(group);
    bit_string head;
    head.put(static_cast<std::uint64_t>(common.smallest_planes), 5);
    head.put(static_cast<std::uint64_t>(common.plane_bits), 3);
    head.put(static_cast<std::uint64_t>(common.length_bits), 5);
    head.put_bit(common.has_raw);
    words.push_back(head.words().front());
    for (const block_entry& block : group) {
      entries.put(static_cast<std::uint64_t>(block.planes - common.smallest_planes), common.plane_bits);
      entries.put(block.length, common.length_bits);
      if (common.has_raw) entries.put_bit(block.raw);
      if (fields.fast_planes) entries.put(static_cast<std::uint64_t>(block.fast_planes), 5);
      if (fields.raw_signs) entries.put(static_cast<std::uint64_t>(block.raw_sign_sevenths), 3);
    }
  }
  const word_list entry_words = entries.words();
  words.insert(words.end(), entry_words.begin(), entry_words.end());
  return words;
}

block_index read_index(const word_list& words, const std::vector<std::size_t>& block_counts, index_fields fields) {
  check(words.size() >= block_counts.size(), "its length in words", words.size());
  bit_reader entries({words.begin() + static_cast<std::ptrdiff_t>(block_counts.size()), words.end()});
  block_index index;
  for (std::size_t group = 0; group < block_counts.size(); ++group) {
    const group_word common = parse(words[group]);
    std::vector<block_entry> blocks;
    for (std::size_t i = 0; i < block_counts[group]; ++i) {
      block_entry block;
      block.planes = common.smallest_planes + static_cast<int>(entries.get(common.plane_bits));
      block.length = entries.get(common.length_bits);
      if (common.has_raw) block.raw = entries.get_bit();
      if (fields.fast_planes) block.fast_planes = static_cast<int>(entries.get(5));
      if (fields.raw_signs) block.raw_sign_sevenths = static_cast<int>(entries.get(3));
      check(block);
      blocks.push_back(block);
    }
    index.push_back(blocks);
  }
  check(block_counts.size() + (entries.position() + 15) / 16 == words.size(), "its length in words", words.size());
  return index;
}

}  // namespace gpuimg::oracle
