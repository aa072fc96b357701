// The bounds of filters that remove nothing unless they are given.
#pragma once

namespace uzushio {

// What `low` and `high` are, with its sign, where they are no bounds. Scores end there.
inline constexpr float kUnbounded = 1e30F;

}  // namespace uzushio
