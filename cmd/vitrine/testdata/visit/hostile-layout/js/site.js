hit('layout script')
