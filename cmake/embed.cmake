# muster_embed(TARGET FOLDER OUTPUT): every file of FOLDER as a string constant.
#
# generated/OUTPUT.h declares, in namespace muster::embedded, `std::span<const File> <last part of OUTPUT>()` (base/embedded.h), sorted by name.
function(muster_embed target folder output)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL INTERFACE_LIBRARY)
    return()
  endif()
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*)
  list(SORT files)
  get_filename_component(function_name ${output} NAME)
  set(header ${CMAKE_BINARY_DIR}/generated/${output}.h)
  set(source ${CMAKE_BINARY_DIR}/generated/${output}.cc)
  add_custom_command(
    OUTPUT ${header} ${source}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${CMAKE_BINARY_DIR}/generated/${output} -DFUNCTION=${function_name}
            "-DINCLUDE=${output}.h" "-DFILES=${files}" -P ${CMAKE_SOURCE_DIR}/cmake/embed_script.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/embed_script.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${source})
endfunction()
