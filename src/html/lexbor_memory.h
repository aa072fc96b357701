// The memory of lexbor, which goes on with null where it gets none.
#pragma once

namespace uzushio {

// Has lexbor throw std::bad_alloc where memory runs out. What it works on then is not to be touched again, not to be
// destroyed either. Called before lexbor is used, as often as one likes.
void CheckLexborMemory();

}  // namespace uzushio
