// Shares of a text. The share of nothing is 0.
#pragma once

#include <cstdint>

namespace uzushio {

constexpr double Share(double part, double all) { return all > 0 ? part / all : 0; }
constexpr double Share(int64_t part, int64_t all) { return Share(static_cast<double>(part), static_cast<double>(all)); }

}  // namespace uzushio
