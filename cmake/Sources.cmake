# The pinned sources of requirements/sources.txt.
execute_process(COMMAND ${UZUSHIO_PYTHON} ${PROJECT_SOURCE_DIR}/tools/fetch_sources.py COMMAND_ERROR_IS_FATAL ANY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/requirements/sources.txt)
