hit('module')
