# The program of a first look, uzushio_first_look: what `./dev demo` runs, in less than half of the time that all takes. What
# it leaves out are commands with stages of their own, `report --serve` and language models; src/cli/first_look.cc and
# native/src/first_look.rs stand in their place. It is linked from the same objects as the rest, and so in every build.
option(UZUSHIO_FIRST_LOOK "Build for the program of a first look only: no language models, less optimized" OFF)
set(UZUSHIO_LEFT_OUT
  "/src/(cli/((clean|decontaminate|doctor|index|minhash|overlap|train_classifier|train_language|train_lm)_command|commands|run_[a-z]+|spark_driver)"
  "|lm/(fasttext|fasttext_rows|kenlm|fasttext_training|onnx_model)(_check)?|pipeline/(pipeline_file|schedule)|stages/(decontaminate|minhash|overlap|train_classifier|train_language|train_lm)/[a-z_]+"
  "|stages/report/(kept_(columns|table)|serve|server|threshold_bits))\\.cc$")
list(JOIN UZUSHIO_LEFT_OUT "" UZUSHIO_LEFT_OUT)

# uzushio_leave_out(SOURCES LATER): takes what it leaves out from the list SOURCES into the list LATER.
function(uzushio_leave_out sources later)
  set(first ${${sources}})
  set(rest ${${sources}})
  list(FILTER first EXCLUDE REGEX ${UZUSHIO_LEFT_OUT})
  list(FILTER rest INCLUDE REGEX ${UZUSHIO_LEFT_OUT})
  set(${sources} ${first} PARENT_SCOPE)
  set(${later} ${rest} PARENT_SCOPE)
endfunction()
