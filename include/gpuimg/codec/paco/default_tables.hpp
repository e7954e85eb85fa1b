/// @file
/// The default probability tables. Placeholder values until trained: every cell even.
#pragma once

#include "gpuimg/codec/paco/tables.hpp"

namespace gpuimg::paco {

/// The default set.
inline const default_table_set& default_tables() noexcept {
  static const default_table_set set = [] {
    default_table_set s;
    s.id = 1;
    s.luma.fill(128);
    s.chroma.fill(128);
    return s;
  }();
  return set;
}

}  // namespace gpuimg::paco
