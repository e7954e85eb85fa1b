/// @file
/// Bits and codes of the LCE-style stream, one bit at a time (docs/lce-format.md, section 4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace gpuimg::oracle::lce {

using number = std::int64_t;

/// What a decoder meets in a string that no encoder writes.
struct damage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A string of bits, in order.
struct bit_list {
  std::vector<int> bits;
  std::size_t next = 0;

  void put(number value, int width) {
    for (int i = 0; i < width; ++i) {
      bits.push_back(static_cast<int>(value % 2));
      value = value / 2;
    }
  }
  void append(const bit_list& other) { bits.insert(bits.end(), other.bits.begin(), other.bits.end()); }

  number get(int width) {
    number value = 0;
    for (int i = 0; i < width; ++i) {
      if (next == bits.size()) { throw damage("the string has ended"); }
      value += number{bits[next++]} << i;
    }
    return value;
  }
};

constexpr number map(number q) { return q > 0 ? 2 * q - 1 : -2 * q; }
constexpr number unmap(number m) { return m % 2 == 1 ? (m + 1) / 2 : -(m / 2); }

/// floor(a / b) for positive b.
constexpr number floor_divide(number a, number b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

inline void put_golomb(bit_list& out, number m, int k) {
  const number unary = m / (number{1} << k);
  if (unary >= 15) {
    out.put(0, 15);
    out.put(m, 17);
    return;
  }
  for (number i = 0; i < unary; ++i) { out.put(0, 1); }
  out.put(1, 1);
  out.put(m % (number{1} << k), k);
}

inline number get_golomb(bit_list& in, int k) {
  number unary = 0;
  while (unary < 15 && in.get(1) == 0) { ++unary; }
  if (unary == 15) { return in.get(17); }
  return unary * (number{1} << k) + in.get(k);
}

inline void put_exp_golomb(bit_list& out, number v) {
  int z = 0;
  while ((number{2} << z) <= v + 1) { ++z; }
  out.put(0, z);
  out.put(1, 1);
  out.put(v + 1 - (number{1} << z), z);
}

inline number get_exp_golomb(bit_list& in) {
  int z = 0;
  while (in.get(1) == 0) {
    if (++z > 16) { throw damage("an exponential Golomb code of more than 33 bits"); }
  }
  const number v = (number{1} << z) + in.get(z) - 1;
  if (v > 131070) { throw damage("an exponential Golomb code above its range"); }
  return v;
}

/// Section 4.2, for sample j of the indices q.
inline int parameter(const std::vector<number>& q, int j) {
  number sum = 0;
  const int first = j > 32 ? j - 32 : 0;
  for (int t = first; t < j; ++t) { sum += std::abs(q[static_cast<std::size_t>(t)]); }
  int k = 0;
  while (number{j - first} * (number{1} << k) < sum) { ++k; }
  return k;
}

}  // namespace gpuimg::oracle::lce
