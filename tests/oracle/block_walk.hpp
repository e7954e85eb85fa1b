/// @file
/// The order of coding and the contexts of a code-block, for both sides (docs/paco-format.md, sections 5.1 to 5.6).
#pragma once

#include <vector>

#include "tests/oracle/block_coder.hpp"

namespace gpuimg::oracle {

/// Walks through a block and asks for its symbols. It keeps what a decoder knows at the moment and takes every context
/// from that. The encoder is a walk that is told the coefficients: it uses them for the answers alone, so it cannot see
/// more than a decoder does.
class block_walk {
 public:
  /// `truth` is the block to encode, or null to decode.
  block_walk(coordinate width, coordinate height, int planes, const table_set& table, const block_options& options,
             event_coder& coder, const plane* truth);

  /// All arithmetically coded symbols of the block.
  void run();

  /// Where a raw bit belongs.
  struct raw_bit {
    coordinate x = 0;
    coordinate y = 0;
    int plane = 0;  ///< of a refinement bit
    bool is_sign = false;
  };

  /// The raw bits in the order of the pool; known after run().
  std::vector<raw_bit> pool() const;

  bool true_bit(const raw_bit& place) const;
  void set_bit(const raw_bit& place, bool bit);

  /// What is known of the coefficients.
  plane values() const;

  const block_cost& cost() const { return cost_; }

 private:
  /// A lane's part of an event.
  struct question {
    int lane = 0;
    coordinate x = 0;
    coordinate y = 0;
    int cell = 0;
    int symbol = 0;
  };
  using question_list = std::vector<question>;

  /// The context of a sign: cell 9 + sign_class; a negative prediction inverts the symbol.
  struct sign_context {
    int sign_class = 0;
    bool predicts_negative = false;
  };

  /// The columns that step k visits.
  struct visit {
    int lane = 0;
    coordinate x = 0;
  };
  std::vector<visit> step(coordinate k) const;

  void strip_flags(int j);
  void significance(int j);
  void refinement(int j);
  void fast_planes();
  void fast_step(coordinate y, coordinate k);

  void ask(int j, question_list& questions);
  void ask_signs(int j, const question_list& significant, const grid<sign_context>& contexts);

  bool significant(coordinate x, coordinate y, int lowest_plane) const;
  bool refines(coordinate x, coordinate y, int j) const;
  bool sign_is_raw(coordinate y, int significance_plane) const;
  int neighbours(coordinate x, coordinate y, int lowest_plane) const;
  int chi(coordinate x, coordinate y, int lowest_plane) const;
  sign_context context_of_sign(coordinate x, coordinate y, int lowest_plane) const;

  std::uint32_t true_magnitude(coordinate x, coordinate y) const;
  int true_significance(coordinate x, coordinate y) const;
  int true_symbol(coordinate x, coordinate y, int j) const;
  bool true_negative(coordinate x, coordinate y) const;

  coordinate width_;
  coordinate height_;
  int planes_;
  table_set table_;
  block_options options_;
  event_coder& coder_;
  const plane* truth_;
  coordinate columns_of_a_lane_;

  grid<int> significance_plane_;  ///< s where it is known, else -1
  grid<std::uint32_t> magnitude_;
  grid<int> negative_;
  std::vector<bool> skipped_strip_;  ///< in the plane that is being coded
  block_cost cost_;
};

}  // namespace gpuimg::oracle
