hit('outer script')
