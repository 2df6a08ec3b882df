# The extension module of the Python package (python/): libagon's objects and python/src behind the stable ABI of
# CPython 3.11, so that one file serves every later version. Only PyInit__agon is exported. FindPython's own USE_SABI
# needs CMake 3.26.
if(AGON_LIBRARY_ONLY)
  find_package(Python 3.11 COMPONENTS Interpreter Development.Module REQUIRED)
else()
  find_package(Python 3.11 COMPONENTS Interpreter Development.Module QUIET)
endif()
if(NOT Python_Development.Module_FOUND)
  return()
endif()
execute_process(COMMAND ${Python_EXECUTABLE} -c "import sysconfig; print(sysconfig.get_config_var('Py_GIL_DISABLED') or 0)"
                OUTPUT_VARIABLE free_threaded OUTPUT_STRIP_TRAILING_WHITESPACE)
if(free_threaded STREQUAL 1)
  message(FATAL_ERROR "agon has no build for free-threaded Python: use an interpreter with the GIL")
endif()

file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/python/src/*.c)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/python.map CONTENT "{ global: PyInit__agon; local: *; };\n")
add_library(python_module MODULE ${sources} $<TARGET_OBJECTS:vec> $<TARGET_OBJECTS:vision>)
set_target_properties(python_module PROPERTIES OUTPUT_NAME _agon PREFIX "" SUFFIX .abi3.so LINKER_LANGUAGE C C_VISIBILITY_PRESET hidden
                      LINK_DEPENDS ${CMAKE_BINARY_DIR}/python.map LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/python)
target_compile_definitions(python_module PRIVATE Py_LIMITED_API=0x030B0000)
target_compile_options(python_module PRIVATE -Wno-pedantic) # slots of types are void *
target_include_directories(python_module PRIVATE ${CMAKE_SOURCE_DIR}/include)
target_include_directories(python_module SYSTEM PRIVATE ${Python_INCLUDE_DIRS})
target_link_options(python_module PRIVATE -Wl,--version-script=${CMAKE_BINARY_DIR}/python.map)
target_link_libraries(python_module PRIVATE ${parts} m Threads::Threads)
if(AGON_LIBRARY_ONLY)
  install(TARGETS python_module LIBRARY DESTINATION agon COMPONENT python)
else()
  set_target_properties(python_module PROPERTIES EXCLUDE_FROM_ALL TRUE)
endif()
