// The entry for require(): Node 20.19 can load modules by it.
'use strict';

module.exports = require('./inlined.js');
