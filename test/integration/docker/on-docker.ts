/** Imported before anything else by a test file: the file's container engine is a real Docker Engine. */
process.env['TEST_CONTAINER_ENGINE'] = 'docker';
