/// @file
/// The order in which a block's bits are coded: the one definition that encoders, decoders and context counters of
/// the host and of the kernels share (docs/paco-format.md section 5.1).
///
/// walk_bitplanes() asks a *coder* for each event. A coder has
/// - `significance(plane, lanes, neighbours, known)`, `sign(plane, lanes, context, known)`, `refinement(plane, lanes,
/// known)`: one
///   event of the lanes given as a mask; `known` are the bits of the block (an encoder's input); returns the bits coded
///   or decoded;
/// - `strip_flags(plane, strip)`: one event, lane t asks `strip(t)`; returns the mask of strips that have something to
/// code;
/// - `refinement_lists(plane, masks, known)`: the events of compact refinement, recording the bits itself;
/// - `known(word)`: the word of an encoder's block; a decoder returns 0 and does not read it;
/// - `record(word, bits)`: a decoder ORs decoded bits into the block, an encoder does nothing;
/// - `set(word, value)`, `clear(words, count)`, `sync()`: access to state that all lanes share;
/// - `end_pass(pass)`: told after each pass, so that an encoder can note how many words it has reserved;
/// - `stopped()`: true ends the walk early (damaged stream).
#pragma once

#include <cstdint>
#include <type_traits>

#include "gpuimg/codec/bitplane_block.hpp"
#include "gpuimg/core/config.hpp"
#include "gpuimg/simt/bits.hpp"

namespace gpuimg::codec {

/// A strip's flag, as one lane sees it.
struct strip_state {
  bool present = false;   ///< some coefficient is not significant yet, so there is a flag
  bool active = false;    ///< some coefficient of the strip or of the rows around it is significant
  bool occupied = false;  ///< some coefficient becomes significant in this plane (known to encoders)
};

namespace detail {

template <class Shape, class Features, class Block, class Coder>
class bitplane_walk {
 public:
  GPUIMG_FUNCTION bitplane_walk(Block& block, significance_history<Shape>& history,
                                const block_parameters<Features>& parameters, Coder& coder)
      : block_(block), history_(history), p_(parameters), coder_(coder) {}

  GPUIMG_ANY_TARGET
  GPUIMG_FUNCTION void run() {
    for (int i = 0; i < 3; ++i) { coder_.clear(&history_.entry[i].row[0][0], Shape::steps); }
    coder_.sync();
    for (int j = p_.planes - 1; j >= p_.fast_planes; --j) {
      if (is_over()) { return; }
      significance_pass(j);
      end_pass();
      if (is_over()) { return; }
      refinement_pass(j);
      end_pass();
    }
    if (p_.fast_planes > 0 && !is_over()) {
      fast_pass();
      end_pass();
    }
  }

 private:
  using rows = row_masks<Shape>;
  using strip_mask = std::conditional_t<(Shape::strips > 32), std::uint64_t, std::uint32_t>;
  static constexpr int columns = Shape::columns;

  GPUIMG_ANY_TARGET
  GPUIMG_FUNCTION bool is_over() const { return coder_.stopped() || pass_ == p_.passes; }

  GPUIMG_ANY_TARGET
  GPUIMG_FUNCTION void end_pass() {
    coder_.end_pass(pass_++);
    coder_.sync();
  }

  /// Significance with s >= plane, as left by that plane's pass.
  GPUIMG_FUNCTION plane_masks<Shape>& significant(int plane) const { return history_.entry[plane % 3]; }

  GPUIMG_FUNCTION rows load(const plane_masks<Shape>& masks, int y) const {
    return y >= 0 && y < p_.height ? rows::load(masks.row[y]) : rows{};
  }

  GPUIMG_ANY_TARGET
  GPUIMG_FUNCTION void significance_pass(int j) {
    const plane_masks<Shape>& before = significant(j + 1);
    plane_masks<Shape>& after = significant(j);
    const strip_mask occupied = p_.features.strip_flags ? code_strip_flags(j, before) : strip_mask{0};

    rows above;
    rows above_sign;
    rows current = load(before, 0);
    rows current_sign = load(block_.sign, 0);
    for (int y = 0; y < p_.height; ++y) {
      const rows below = load(before, y + 1);
      const rows below_sign = load(block_.sign, y + 1);
      const int strip = y / 2;
      if (!p_.features.strip_flags || ((occupied >> strip) & 1u) != 0) {
        GPUIMG_UNROLL
        for (int k = 0; k < columns; ++k) {
          const std::uint32_t lanes = lanes_inside<Shape>(p_.width, k) & ~current.column[k];
          if (lanes == 0) { continue; }
          const std::uint32_t known = coder_.known(block_.magnitude[j].row[y][k]) & lanes;
          const std::uint32_t found = coder_.significance(j, lanes, neighbours<Shape>(above, current, below, k), known);
          if (found == 0) { continue; }
          coder_.record(block_.magnitude[j].row[y][k], found);
          if (!sign_is_raw(j, y)) {
            const sign_context context =
                sign_context_of<Shape>(above, current, below, above_sign, current_sign, below_sign, k);
            const std::uint32_t negative = coder_.sign(j, found, context, coder_.known(block_.sign.row[y][k]) & found);
            coder_.record(block_.sign.row[y][k], negative);
            current_sign.column[k] |= negative;
          }
          current.column[k] |= found;
        }
      }
      GPUIMG_UNROLL
      for (int k = 0; k < columns; ++k) { coder_.set(after.row[y][k], current.column[k]); }
      above = current;
      above_sign = current_sign;
      current = below;
      current_sign = below_sign;
    }
  }

  /// @returns the strips that the significance pass has to scan.
  GPUIMG_ANY_TARGET
  GPUIMG_FUNCTION strip_mask code_strip_flags(int j, const plane_masks<Shape>& before) {
    const int strips = (p_.height + 1) / 2;
    strip_mask occupied = 0;
    for (int e = 0; e * 32 < strips; ++e) {
      const auto strip = [&](int lane) { return state_of_strip(32 * e + lane, j, before); };
      occupied |= static_cast<strip_mask>(coder_.strip_flags(j, strip)) << (32 * e);
    }
    return occupied;
  }

  GPUIMG_ANY_TARGET
  GPUIMG_FUNCTION strip_state state_of_strip(int strip, int j, const plane_masks<Shape>& before) const {
    strip_state s;
    const int first = 2 * strip;
    for (int y = first - 1; y < first + 3; ++y) {
      if (y < 0 || first >= p_.height || y >= p_.height) { continue; }
      const bool inside = y >= first && y < first + 2;
      GPUIMG_UNROLL
      for (int k = 0; k < columns; ++k) {
        const std::uint32_t open = lanes_inside<Shape>(p_.width, k) & ~before.row[y][k];
        s.active = s.active || before.row[y][k] != 0;
        s.present = s.present || (inside && open != 0);
        s.occupied = s.occupied || (inside && (open & coder_.known(block_.magnitude[j].row[y][k])) != 0);
      }
    }
    return s;
  }

  /// Lanes that refine an arithmetically coded bit of plane j in a step; `before` has s > j, `older` s > j + 1.
  GPUIMG_FUNCTION std::uint32_t to_refine(int j, std::uint32_t before, std::uint32_t older) const {
    return j < p_.raw_planes ? before & ~older : before;
  }

  GPUIMG_FUNCTION bool sign_is_raw(int j, int y) const {
    return p_.features.raw_signs && j == 0 && y >= p_.raw_sign_row;
  }

  GPUIMG_ANY_TARGET
  GPUIMG_FUNCTION void refinement_pass(int j) {
    const plane_masks<Shape>& before = significant(j + 1);
    const plane_masks<Shape>& older = significant(j + 2);
    const auto masks = [&](int y, int k) { return to_refine(j, before.row[y][k], older.row[y][k]); };
    if (p_.features.compact_refinement) {
      coder_.refinement_lists(j, masks, block_.magnitude[j], p_.height);
    } else {
      refine_in_scan_order(j, masks);
    }
  }

  GPUIMG_ANY_TARGET
  template <class Masks>
  GPUIMG_FUNCTION void refine_in_scan_order(int j, const Masks& masks) {
    for (int y = 0; y < p_.height; ++y) {
      GPUIMG_UNROLL
      for (int k = 0; k < columns; ++k) {
        const std::uint32_t lanes = masks(y, k);
        if (lanes == 0) { continue; }
        const std::uint32_t known = coder_.known(block_.magnitude[j].row[y][k]) & lanes;
        coder_.record(block_.magnitude[j].row[y][k], coder_.refinement(j, lanes, known));
      }
    }
  }

  GPUIMG_ANY_TARGET
  GPUIMG_FUNCTION void fast_pass() {
    const int top = p_.fast_planes - 1;
    const plane_masks<Shape>& before = significant(p_.fast_planes);
    const plane_masks<Shape>& older = significant(p_.fast_planes + 1);
    rows above;
    rows above_sign;
    rows current = load(before, 0);
    rows current_sign = load(block_.sign, 0);
    for (int y = 0; y < p_.height; ++y) {
      const rows below = load(before, y + 1);
      const rows below_sign = load(block_.sign, y + 1);
      GPUIMG_UNROLL
      for (int k = 0; k < columns; ++k) {
        const neighbour_masks around = neighbours<Shape>(above, current, below, k);
        const sign_context context =
            sign_context_of<Shape>(above, current, below, above_sign, current_sign, below_sign, k);
        const std::uint32_t inside = lanes_inside<Shape>(p_.width, k);
        std::uint32_t own = before.row[y][k];
        std::uint32_t own_older = older.row[y][k];
        for (int j = top; j >= 0; --j) {
          const std::uint32_t plane_bits = coder_.known(block_.magnitude[j].row[y][k]);
          const std::uint32_t refined = to_refine(j, own, own_older);
          std::uint32_t bits = refined != 0 ? coder_.refinement(j, refined, plane_bits & refined) : 0;
          const std::uint32_t lanes = inside & ~own;
          const std::uint32_t found = lanes != 0 ? coder_.significance(j, lanes, around, plane_bits & lanes) : 0;
          bits |= found;
          if (bits != 0) { coder_.record(block_.magnitude[j].row[y][k], bits); }
          if (found != 0 && !sign_is_raw(j, y)) {
            const std::uint32_t negative = coder_.sign(j, found, context, coder_.known(block_.sign.row[y][k]) & found);
            coder_.record(block_.sign.row[y][k], negative);
            current_sign.column[k] |= negative;
          }
          own_older = own;
          own |= found;
          if (j == top) { current.column[k] |= found; }
        }
      }
      above = current;
      above_sign = current_sign;
      current = below;
      current_sign = below_sign;
    }
  }

  Block& block_;
  significance_history<Shape>& history_;
  const block_parameters<Features>& p_;
  Coder& coder_;
  int pass_ = 0;
};

}  // namespace detail

/// Walks all coded bits of `block` (planes parameters.planes-1 .. 0), asking `coder` for each event. A decoder's block
/// starts zeroed. Complexity: O(planes x steps) events.
template <class Shape, class Features, class Block, class Coder>
GPUIMG_FUNCTION void walk_bitplanes(Block& block, significance_history<Shape>& history,
                                    const block_parameters<Features>& parameters, Coder& coder) {
  detail::bitplane_walk<Shape, Features, Block, Coder>(block, history, parameters, coder).run();
}

/// Visits the raw refinement bits and raw signs of a block in the order of the pool (docs/paco-format.md section 5.6):
/// calls `visit(item, lanes, plane)` for item = first, first + stride, ... where `lanes` has the raw bits' lanes and
/// plane is the magnitude plane, or -1 for signs. Needs the magnitudes' significance to be known. @returns the number
/// of items in all.
GPUIMG_ANY_TARGET
template <class Shape, class Features, class Block, class Visit>
GPUIMG_FUNCTION int visit_raw_bits(const Block& block, const block_parameters<Features>& p, int first, int stride,
                                   const Visit& visit) {
  const int refined = p.raw_planes < p.planes ? p.raw_planes : p.planes;
  const int sign_rows = p.features.raw_signs && p.planes > 0 ? p.height - p.raw_sign_row : 0;
  const int per_plane = p.height * Shape::columns;
  const int items = refined * per_plane + sign_rows * Shape::columns;
  for (int i = first; i < items; i += stride) {
    const bool is_sign = i >= refined * per_plane;
    const int step = is_sign ? p.raw_sign_row * Shape::columns + (i - refined * per_plane) : i % per_plane;
    const int plane = is_sign ? -1 : refined - 1 - i / per_plane;
    const int y = step / Shape::columns;
    const int k = step % Shape::columns;
    std::uint32_t above = 0;
    for (int q = plane + 2; q < p.planes; ++q) { above |= block.magnitude[q].row[y][k]; }
    visit(i, is_sign ? block.magnitude[0].row[y][k] & ~above : above, plane, y, k);
  }
  return items;
}

/// Bits of payload that an encoder expects in the last codeword of a lane: it ends anywhere in its 16 bits.
inline constexpr std::uint32_t expected_spare_bits = 7;

/// An encoder's choice of q (docs/paco-format.md section 5.6): as few rows of raw signs as fill the last codewords of
/// all lanes. Raw signs cost 13 % more than coded ones on photographs, unfilled codewords cost all of their bits.
/// `first`, `stride` share the work among lanes, `sum` adds up what they found.
GPUIMG_ANY_TARGET
template <class Shape, class Features, class Block, class Sum>
GPUIMG_FUNCTION int choose_raw_sign_rows(const Block& block, const block_parameters<Features>& p, int first, int stride,
                                         const Sum& sum) {
  if (!p.features.raw_signs || p.planes == 0) { return 0; }
  const std::uint32_t wanted =
      expected_spare_bits * static_cast<std::uint32_t>(simt::popcount(lanes_inside<Shape>(p.width, 0)));
  std::uint32_t found = 0;
  block_parameters<Features> without_signs = p;
  without_signs.raw_sign_row = p.height;
  visit_raw_bits<Shape>(block, without_signs, first, stride, [&](int, std::uint32_t lanes, int, int, int) {
    found += static_cast<std::uint32_t>(simt::popcount(lanes));
  });
  std::uint32_t have = sum(found);
  int q = 0;
  while (q < 7 && have < wanted) {
    const int begin = raw_sign_row(p.height, q + 1) * Shape::columns;
    const int end = raw_sign_row(p.height, q) * Shape::columns;
    found = 0;
    for (int step = begin + first; step < end; step += stride) {
      const int y = step / Shape::columns;
      const int k = step % Shape::columns;
      std::uint32_t above = 0;
      for (int j = 1; j < p.planes; ++j) { above |= block.magnitude[j].row[y][k]; }
      found += static_cast<std::uint32_t>(simt::popcount(block.magnitude[0].row[y][k] & ~above));
    }
    have += sum(found);
    ++q;
  }
  return q;
}

}  // namespace gpuimg::codec
