ran.push('late')
