# What tests of applications and of the library use.
eider_wing(testkit DEPENDS auth)
eider_component(testkit FOLDERS .)
eider_public(document_check log_lines loop_sim schema_check sim_kernel sim_random snapshot temp_directory
             test_client)
