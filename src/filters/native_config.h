// The C side of native/src/config.rs and native/src/words.rs: HOCON, word lists.
#pragma once

#include <cstddef>
#include <cstdint>

struct UzHoconAnswer;
struct UzWords;

extern "C" {
UzHoconAnswer* uz_hocon_read(const uint8_t* path, size_t path_length, const uint8_t* properties,
                             size_t properties_length);
const uint8_t* uz_hocon_text(const UzHoconAnswer* answer, size_t* length, size_t* line, bool* ok);
void uz_hocon_free(UzHoconAnswer* answer);

UzWords* uz_words_new(const uint8_t* text, const size_t* ends, size_t count);
void uz_words_free(UzWords* words);
size_t uz_words_find(const UzWords* words, const uint8_t* text, size_t length, uint32_t* numbers);
bool uz_words_first(const UzWords* words, const uint8_t* text, size_t length, size_t* begin, size_t* end);
}
