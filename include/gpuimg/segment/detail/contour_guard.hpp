/// @file
/// Keeps a contour simple: which moves would make it touch itself.
///
/// A contour that winds around pixels twice lets a criterion count them twice, and some criteria reward that without
/// end. So no move is made that gives two edges a point in common, but for the node between neighbours.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/segment/detail/node_moves.hpp"
#include "gpuimg/segment/polygon.hpp"

namespace gpuimg::detail {

/// An edge that a change makes; ends that are nodes of the contour have their numbers, new ones -1.
struct new_edge {
  point a;
  point b;
  std::int32_t at_a;
  std::int32_t at_b;
};

/// The edges of one change.
struct contour_change {
  new_edge edges[2];
  int count;
  std::int32_t gone[2];  ///< the edges that it replaces, by their first nodes
};

GPUIMG_FUNCTION constexpr std::int32_t before(std::int32_t i, std::int32_t count) noexcept {
  return i == 0 ? count - 1 : i - 1;
}
GPUIMG_FUNCTION constexpr std::int32_t after(std::int32_t i, std::int32_t count) noexcept {
  return i + 1 == count ? 0 : i + 1;
}

/// Node i goes to p.
GPUIMG_FUNCTION constexpr contour_change move_of(const point* nodes, std::int32_t count, std::int32_t i,
                                                 const point& p) noexcept {
  const std::int32_t u = before(i, count);
  const std::int32_t v = after(i, count);
  return {{{nodes[u], p, u, -1}, {p, nodes[v], -1, v}}, 2, {u, i}};
}

/// Node i is dropped.
GPUIMG_FUNCTION constexpr contour_change removal_of(const point* nodes, std::int32_t count, std::int32_t i) noexcept {
  const std::int32_t u = before(i, count);
  const std::int32_t v = after(i, count);
  return {{{nodes[u], nodes[v], u, v}, {}}, 1, {u, i}};
}

/// A node p is put between node i and the next.
GPUIMG_FUNCTION constexpr contour_change insertion_of(const point* nodes, std::int32_t count, std::int32_t i,
                                                      const point& p) noexcept {
  const std::int32_t v = after(i, count);
  return {{{nodes[i], p, i, -1}, {p, nodes[v], -1, v}}, 2, {i, i}};
}

/// Whether the edges meet, other than at a node of both.
GPUIMG_FUNCTION constexpr bool collide(const new_edge& e, const new_edge& f) noexcept {
  const bool joined = (e.at_a >= 0 && (e.at_a == f.at_a || e.at_a == f.at_b)) ||
                      (e.at_b >= 0 && (e.at_b == f.at_a || e.at_b == f.at_b));
  return !joined && segments_meet(e.a, e.b, f.a, f.b);
}

/// A rectangle with its sides.
struct closed_box {
  point low;
  point high;

  GPUIMG_FUNCTION friend constexpr bool meet(const closed_box& a, const closed_box& b) noexcept {
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y;
  }
};

/// The box around an edge.
GPUIMG_FUNCTION constexpr closed_box box_of(const point& a, const point& b) noexcept {
  return {{a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y}, {a.x < b.x ? b.x : a.x, a.y < b.y ? b.y : a.y}};
}

/// The box around the edges of a change.
GPUIMG_FUNCTION constexpr closed_box box_of(const contour_change& change) noexcept {
  const closed_box first = box_of(change.edges[0].a, change.edges[0].b);
  if (change.count == 1) { return first; }
  const closed_box second = box_of(change.edges[1].a, change.edges[1].b);
  return {box_of(first.low, second.low).low, box_of(first.high, second.high).high};
}

/// Calls visit(k) for the edges k = first, first + stride, ... below `count` whose boxes meet the given one, until it
/// returns true; whether it did.
template <class Visit>
GPUIMG_FUNCTION constexpr bool visit_near_edges(const closed_box& box, const point* nodes, std::int32_t count,
                                                std::int32_t first, std::int32_t stride, const Visit& visit) {
  constexpr int at_once = 4;
  for (; first < count; first += at_once * stride) {
    // Few edges are near: the others cost two loads and four comparisons, without a branch.
    std::uint32_t near = 0;
    GPUIMG_UNROLL
    for (int j = 0; j < at_once; ++j) {
      const std::int32_t k = first + j * stride;
      const std::int32_t read = k < count ? k : first;
      const bool meets = meet(box, box_of(nodes[read], nodes[after(read, count)]));
      near |= meets && k < count ? std::uint32_t{1} << j : 0;
    }
    GPUIMG_NO_UNROLL
    for (std::int32_t k = first; near != 0; near >>= 1, k += stride) {
      if ((near & 1) != 0 && visit(k)) { return true; }
    }
  }
  return false;
}

/// Whether the change makes the contour touch itself: one of its edges meets one that stays. A share of the contour, as
/// in edge_sums.
GPUIMG_FUNCTION constexpr bool touches(const contour_change& change, const point* nodes, std::int32_t count,
                                       std::int32_t part = 0, std::int32_t parts = 1) noexcept {
  return visit_near_edges(box_of(change), nodes, count, part, parts, [&](std::int32_t k) {
    if (k == change.gone[0] || k == change.gone[1]) { return false; }
    const std::int32_t end = after(k, count);
    const new_edge old{nodes[k], nodes[end], k, end};
    return collide(change.edges[0], old) || (change.count > 1 && collide(change.edges[1], old));
  });
}

/// Whether two changes make edges that meet.
GPUIMG_FUNCTION constexpr bool collide(const contour_change& c, const contour_change& d) noexcept {
  if (!meet(box_of(c), box_of(d))) { return false; }
  for (int i = 0; i < c.count; ++i) {
    for (int j = 0; j < d.count; ++j) {
      if (collide(c.edges[i], d.edges[j])) { return true; }
    }
  }
  return false;
}

}  // namespace gpuimg::detail
